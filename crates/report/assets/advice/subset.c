/* One writer per node gathers what its neighbours have. */
MPI_Comm node;
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
MPI_Gather(values, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, node);
if (node_rank == 0)
    pwrite(file, all, node_size * count * sizeof(double), place_of_node);
