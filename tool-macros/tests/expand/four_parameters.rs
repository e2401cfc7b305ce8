/// Searches the catalogue.
#[tool(group = "bench")]
pub fn search(
    /// Words to look for.
    query: &str,
    /// Maximum number of hits.
    #[arg(range = 1..=100, default = 10)]
    limit: u32,
    /// Keep hits that carry one of these tags.
    tags: Vec<String>,
    /// Drop hits below this score.
    min_score: Option<f64>,
) -> String {
    format!("{query} {limit} {tags:?} {min_score:?}")
}
