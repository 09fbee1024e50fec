/* One process reads, the network carries it to the others. */
if (rank == 0) {
    int input = open("parameters.dat", O_RDONLY);
    size = read(input, values, sizeof values);
    close(input);
}
MPI_Bcast(&size, 1, MPI_LONG, 0, MPI_COMM_WORLD);
MPI_Bcast(values, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
