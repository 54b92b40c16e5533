#include "trace/trace-hw_misc_ocfabric.h"
