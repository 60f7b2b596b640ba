#include "realise/cost.h"
Cost cost_gpu(CostWalk *w)
{
	(void)w;
	return (Cost){.start = 1};
}
