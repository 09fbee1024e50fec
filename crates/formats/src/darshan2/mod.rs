//! Under construction elsewhere.
pub fn sniff(_content: &[u8]) -> bool {
    false
}
pub fn read(_content: &[u8]) -> Result<marigraph_model::Trace, crate::error::Error> {
    Err(crate::error::Error::Unrecognised)
}
