# One aggregator per compute node, without a change of the program:
export MPICH_MPIIO_HINTS="*:cb_nodes=$SLURM_NNODES"       # Cray MPICH
echo "cb_nodes $SLURM_NNODES" > hints && export ROMIO_HINTS=$PWD/hints   # ROMIO (MPICH, Open MPI)
