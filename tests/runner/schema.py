"""What --json prints, against the schemas of docs/json.md.

The schemas are JSON Schema in the part that validate() knows: type,
properties, required, additionalProperties, items, enum, pattern, $ref to
another schema's name.
"""
import json
import re

from .core import FAIL, PASS, Job, Result, process

FLAGSHIP = "examples/weight_view.tn"

# (schema, exit code, arguments)
COMMANDS = [
    ("run", 0, ["run", FLAGSHIP]),
    ("run", 0, ["run", FLAGSHIP, "--no-check", "--repeat", "3"]),
    ("run", 0, ["run", FLAGSHIP, "--no-check", "--repeat", "0"]),
    ("check", 0, ["check", FLAGSHIP]),
    ("dump", 0, ["run", FLAGSHIP, "--dump=program,plan"]),
    ("dump", 0, ["check", FLAGSHIP, "--emit-only"]),
    ("bench", 0, ["bench", FLAGSHIP, "--dims", "inspect", "--vs", "",
                  "--rounds", "1"]),
    ("devices", 0, ["devices"]),
    ("tune", 0, ["tune", FLAGSHIP, "--dims", "inspect", "--policy", "model"]),
    ("tune", 0, ["tune", FLAGSHIP, "--dims", "inspect", "--policy", "beam:1",
                 "--budget", "3"]),
    ("ledger", 0, ["ledger", "--all"]),
    ("explain", 0, ["explain", FLAGSHIP]),
    ("error", 3, ["run", "no-such-file.tn"]),
    ("error", 2, ["run", FLAGSHIP, "--dims", "no-such-set"]),
]

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool,
    "null": type(None),
}


def is_type(value, name):
    if name in ("integer", "number"):
        kinds = int if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def validate(value, schema, schemas, at="$"):
    """The first thing wrong, as text, or None."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"]]
    types = schema.get("type")
    if types:
        types = types if isinstance(types, list) else [types]
        if not any(is_type(value, t) for t in types):
            return f"{at}: {value!r} is not of type {types}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is not one of {schema['enum']}"
    if (isinstance(value, str) and "pattern" in schema
            and not re.search(schema["pattern"], value)):
        return f"{at}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                return f"{at}: {name} is missing"
        for name, item in value.items():
            inner = known.get(name, schema.get("additionalProperties", {}))
            if inner is False:
                return f"{at}: {name} is not documented"
            bad = validate(item, inner, schemas, f"{at}.{name}")
            if bad:
                return bad
    if isinstance(value, list):
        for i, item in enumerate(value):
            bad = validate(item, schema.get("items", {}), schemas,
                           f"{at}[{i}]")
            if bad:
                return bad
    return None


def command_job(schemas, name, code, args):
    title = "json " + " ".join(args)

    def run(ctx):
        ended = process([str(ctx.build / "tenon"), *args, "--json"], ctx.root,
                        ctx.environment())
        if ended.code != code:
            bad = f"exit {ended.code}, expected {code}\n{ended.err}"
        else:
            bad = validate(json.loads(ended.out), schemas[name], schemas)
        return [Result(title, FAIL if bad else PASS, bad or "")]

    return Job("docs", title, run)


def jobs(context, texts):
    schemas = {name: json.loads(text) for name, text in texts.items()}
    return [command_job(schemas, *command) for command in COMMANDS]
