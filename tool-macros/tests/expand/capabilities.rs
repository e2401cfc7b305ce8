/// Asks.
#[tool]
fn ask(#[ctx] a: &Db, #[ctx] b: &dyn Clock, #[ctx] c: Arc<Db>, #[ctx] d: Option<&Db>) -> Result<Answer, Error> {
    answer(a, b, c, d)
}
