/// Sends a mail.
#[tool(
    side_effect,
    idempotent = false,
    open_world,
    group = "mail",
    timeout = "30s",
    requires(secret = "SMTP_URL", secret(key = "REGION", label = "Region", optional, choices = ["eu", "us"]))
)]
async fn send(
    #[ctx(secret = "API_KEY")] key: &Secret,
    #[ctx(secret = "TOKEN")] token: Option<&Secret>,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    deliver(key, token, cx).await
}
