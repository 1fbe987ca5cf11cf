/* The first bytes of every HDF5 file, and so of every result. */
#ifndef CAROM_SIGNATURE_H
#define CAROM_SIGNATURE_H

#define HDF5_SIGNATURE "\211HDF\r\n\032\n"
enum { HDF5_SIGNATURE_BYTES = 8 };

#endif
