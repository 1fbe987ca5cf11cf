/* File access through a store, for H5Fcreate and H5Fopen. */
#ifndef CAROM_DRIVER_H
#define CAROM_DRIVER_H

#include "result/store.h"

#include <hdf5.h>

/* A file access property list. The format is that of HDF5 1.8, which everything reads and which has no "still open"
 * marks that a killed writer would leave behind. */
hid_t driver_access(store *s);

#endif
