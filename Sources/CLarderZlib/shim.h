#ifndef CLARDERZLIB_SHIM_H
#define CLARDERZLIB_SHIM_H

#include <zlib.h>

#endif
