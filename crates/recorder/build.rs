//! Builds the variadic functions, which Rust cannot define.
fn main() {
    println!("cargo::rerun-if-changed=src/stdio/variadic.c");
    cc::Build::new().file("src/stdio/variadic.c").opt_level(2).pic(true).compile("marigraph_variadic");
}
