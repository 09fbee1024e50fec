// Exceptions through streams: what is thrown in a call of the library passes its caller's frames.
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <thread>
#include <vector>

struct Full : std::streambuf {
    int overflow(int) override { throw std::runtime_error("full"); }
};

static void fail(const std::string &name)
{
    std::ifstream in;
    in.exceptions(std::ios::failbit | std::ios::badbit);
    try {
        in.open(name + ".not-there");
    } catch (const std::ios_base::failure &) {
        std::ofstream out(name);
        out.exceptions(std::ios::failbit | std::ios::badbit);
        for (int i = 0; i < 10000; i++)
            out << "line " << i << '\n';
        out.flush();
        out.close();
        in.open(name);
        std::string line;
        long lines = 0;
        try {
            while (std::getline(in, line))
                lines++;
        } catch (const std::ios_base::failure &) {
            if (lines != 10000)
                throw;
        }
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i] { fail("thrown." + std::to_string(i)); });
    for (auto &thread : threads)
        thread.join();
    Full full;
    std::ostream out(&full);
    out.exceptions(std::ios::badbit);
    try {
        out << "x";
    } catch (const std::exception &error) {
        std::cout << "caught: " << error.what() << std::endl;
    }
    std::cerr << "to standard error" << std::endl;
    throw std::logic_error("the end");
}
