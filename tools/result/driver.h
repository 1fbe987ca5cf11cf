/* File access through a store, for H5Fcreate and H5Fopen. */
#ifndef CAROM_DRIVER_H
#define CAROM_DRIVER_H

#include "result/store.h"

#include <hdf5.h>

/* A file access property list. It asks for the format of HDF5 1.8, which everything reads. Newer formats mark a file as
 * open, and a killed writer would leave this mark behind. */
hid_t driver_access(store *s);

#endif
