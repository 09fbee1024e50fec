/* Hints are given when the file is opened: collective buffering with one aggregator per node. */
MPI_Info info;
MPI_Info_create(&info);
MPI_Info_set(info, "romio_cb_write", "enable");
MPI_Info_set(info, "romio_cb_read", "enable");
MPI_Info_set(info, "cb_nodes", "NODES");             /* the number of compute nodes */
MPI_Info_set(info, "cb_buffer_size", "16777216");    /* 16 MiB, a multiple of the stripe */
MPI_File_open(MPI_COMM_WORLD, "output.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file);
