/* Objects of 1 MiB or more begin at blocks of 4 MiB; all metadata in one call. */
hid_t access = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_fapl_mpio(access, MPI_COMM_WORLD, info);
H5Pset_alignment(access, 1 << 20, 4 << 20);
H5Pset_all_coll_metadata_ops(access, 1);
H5Pset_coll_metadata_write(access, 1);
hid_t file = H5Fcreate("output.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
