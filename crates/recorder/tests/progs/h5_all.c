// A file, a group, datasets with and without chunks, whole and in parts. usage: h5_all FILE
#include <hdf5.h>
#include <stdio.h>

int main(int argc, char **argv) {
    hsize_t size[2] = {16, 32}, chunk[2] = {4, 8}, start[2] = {2, 4}, count[2] = {3, 5}, stride[2] = {4, 4}, n = 15;
    int data[512], back[512], i, sum = 0;
    for (i = 0; i < 512; i++) data[i] = i, back[i] = 0;
    hid_t f = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t g = H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t s = H5Screate_simple(2, size, NULL), m = H5Screate_simple(1, &n, NULL);
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(p, 2, chunk);
    hid_t a = H5Dcreate2(f, "whole", H5T_NATIVE_INT, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t b = H5Dcreate2(g, "parts", H5T_NATIVE_SHORT, s, H5P_DEFAULT, p, H5P_DEFAULT);
    H5Dwrite(a, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Sselect_hyperslab(s, H5S_SELECT_SET, start, stride, count, NULL);
    H5Dwrite(b, H5T_NATIVE_INT, m, s, H5P_DEFAULT, data);
    H5Fflush(f, H5F_SCOPE_GLOBAL);
    H5Dflush(b);
    H5Dclose(a);
    H5Dclose(b);
    H5Gclose(g);
    H5Fclose(f);
    f = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    a = H5Oopen(f, "/whole", H5P_DEFAULT);
    b = H5Dopen2(f, "group/parts", H5P_DEFAULT);
    H5Dread(a, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
    for (i = 0; i < 512; i++) sum += back[i];
    H5Dread(b, H5T_NATIVE_INT, m, s, H5P_DEFAULT, back);
    for (i = 0; i < 15; i++) sum += back[i];
    H5Oclose(a);
    H5Dclose(b);
    H5Fclose(f);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f = H5Fopen("/nonexistent.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    printf("sum %d failed %d\n", sum, f < 0);
    return 0;
}
