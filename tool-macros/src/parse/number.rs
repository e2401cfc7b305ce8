//! Numbers as authors write them: literals that can be compared, and other constant expressions that cannot.

use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, UnOp};

use super::tokens::peel_expr;

/// A literal number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    /// The value of a literal, with its sign; `None` for other expressions.
    pub(crate) fn of(expr: &Expr) -> Option<Number> {
        match peel_expr(expr) {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok().map(Number::Int),
            Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => float.base10_parse().ok().map(Number::Float),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Some(match Number::of(&unary.expr)? {
                Number::Int(int) => Number::Int(-int),
                Number::Float(float) => Number::Float(-float),
            }),
            _ => None,
        }
    }

    /// The value of JSON or Rust digits.
    pub(crate) fn parse(digits: &str) -> Option<Number> {
        match digits.parse() {
            Ok(int) => Some(Number::Int(int)),
            Err(_) => digits.parse().ok().map(Number::Float),
        }
    }

    /// Whether it is less than another.
    pub(crate) fn less(self, other: Number) -> bool {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a < b,
            _ => self.as_float() < other.as_float(),
        }
    }

    fn as_float(self) -> f64 {
        match self {
            Number::Int(int) => int as f64,
            Number::Float(float) => float,
        }
    }
}

impl ToTokens for Number {
    fn to_tokens(&self, out: &mut proc_macro2::TokenStream) {
        match self {
            Number::Int(int) => proc_macro2::Literal::i128_unsuffixed(*int).to_tokens(out),
            Number::Float(float) => proc_macro2::Literal::f64_unsuffixed(*float).to_tokens(out),
        }
    }
}
