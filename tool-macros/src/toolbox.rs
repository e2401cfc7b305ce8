//! `#[toolbox]`: methods of a type become tools, and the type a capability of those that take `&self`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, Signature, Token, Type, Visibility, WhereClause, braced};

use crate::errors::{self, Sink};
use crate::ir::{OwnerIr, ToolIr};
use crate::parse::signature::{self, Function, inside};
use crate::parse::tokens::without_self;
use crate::parse::tool_attr::{self, BoxAttr};
use crate::{check, emit, path, tool};

/// The attribute on an inherent `impl`.
pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let sink = Sink::default();
    let mut block = match syn::parse2::<Block>(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            match signature::keyword(&item) {
                Some(word) if word.to_string() != "impl" => sink.at(word, errors::BOX_NOT_IMPL),
                _ => sink.add(error),
            }
            let errors = sink.into_tokens();
            return quote!(#item #errors);
        }
    };
    let attr = tool_attr::toolbox(attr, &sink);
    let usable = block.check(&sink);
    let prefix = check::names::prefix(&attr.prefix, &sink).map(syn::LitStr::value);
    let tools = block.take_tools(&attr, prefix.as_deref());
    let root = match &attr.krate {
        Some(path) => Some(path.to_token_stream()),
        None => path::root(),
    };
    if usable && root.is_none() {
        sink.at_span(proc_macro2::Span::call_site(), errors::NO_CORE);
    }
    let Some(root) = root.filter(|_| usable) else {
        let errors = sink.into_tokens();
        let of_tools: TokenStream = tools.into_iter().map(|(ir, sink)| sink.under(&ir.cfgs)).collect();
        return quote!(#block #errors #of_tools);
    };
    let tools: TokenStream = tools.into_iter().map(|(ir, sink)| tool::finish(&ir, &root, sink)).collect();
    let errors = sink.into_tokens();
    quote!(#block #errors #tools)
}

/// An `impl` block, its methods unread.
struct Block {
    attrs: Vec<Attribute>,
    impl_token: Token![impl],
    generics: Generics,
    of_trait: Option<(TokenStream, Token![for])>,
    ty: Type,
    where_clause: Option<WhereClause>,
    inner: Vec<Attribute>,
    items: Vec<Item>,
}

/// One item of the block.
enum Item {
    /// A method with `#[tool]`, which has been taken off.
    Tool { attr: TokenStream, function: Box<Function> },
    /// Anything else, as written.
    Other(TokenStream),
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let impl_token = input.parse()?;
        let generics = if input.peek(Token![<]) { input.parse()? } else { Generics::default() };
        let negative: Option<Token![!]> = input.parse()?;
        let first: Type = input.parse()?;
        let (of_trait, ty) = match input.parse::<Option<Token![for]>>()? {
            Some(word) => (Some((quote!(#negative #first), word)), input.parse()?),
            None => (None, first),
        };
        let where_clause = input.parse()?;
        let body;
        braced!(body in input);
        let inner = body.call(Attribute::parse_inner)?;
        let mut items = Vec::new();
        while !body.is_empty() {
            items.push(body.parse()?);
        }
        Ok(Block { attrs, impl_token, generics, of_trait, ty, where_clause, inner, items })
    }
}

impl ToTokens for Block {
    fn to_tokens(&self, out: &mut TokenStream) {
        let Block { attrs, impl_token, generics, ty, where_clause, inner, items, .. } = self;
        let of_trait = self.of_trait.as_ref().map(|(of, word)| quote!(#of #word));
        let items = items.iter().map(|item| match item {
            Item::Tool { function, .. } => function.to_token_stream(),
            Item::Other(tokens) => tokens.clone(),
        });
        out.extend(quote! {
            #(#attrs)* #impl_token #generics #of_trait #ty #where_clause { #(#inner)* #(#items)* }
        });
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        let attrs = ahead.call(Attribute::parse_outer)?;
        ahead.parse::<Visibility>()?;
        let _: Option<Token![default]> = ahead.parse()?;
        let is_fn = ahead.fork().parse::<Signature>().is_ok();
        let Some(tool) = attrs.iter().find(|attr| is_tool(attr)).filter(|_| is_fn) else {
            return Ok(Item::Other(rest_of_item(input, is_fn)?));
        };
        let attr = inside(tool);
        let mut function = Function {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse::<TokenTree>()?.to_token_stream(),
        };
        let mut first = true;
        function.attrs.retain(|attr| !(is_tool(attr) && std::mem::take(&mut first)));
        Ok(Item::Tool { attr, function: Box::new(function) })
    }
}

fn is_tool(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "tool")
}

/// The tokens of an item that is no tool: a function ends with its block, anything else with a semicolon or, a macro call,
/// with braces.
fn rest_of_item(input: ParseStream<'_>, is_fn: bool) -> syn::Result<TokenStream> {
    let mut out = TokenStream::new();
    let mut after_equals = false;
    loop {
        let token: TokenTree = input.parse()?;
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => {
                group.delimiter() == proc_macro2::Delimiter::Brace && (is_fn || !after_equals)
            }
            _ => false,
        };
        after_equals |= matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '=');
        token.to_tokens(&mut out);
        if ends || input.is_empty() {
            return Ok(out);
        }
    }
}

impl Block {
    /// Whether its methods can be tools at all.
    fn check(&self, sink: &Sink) -> bool {
        if let Some((of, _)) = &self.of_trait {
            sink.at(of, errors::BOX_ON_TRAIT);
            return false;
        }
        if !self.generics.params.is_empty() {
            sink.at(&self.generics, errors::BOX_GENERIC);
            return false;
        }
        if !self.items.iter().any(|item| matches!(item, Item::Tool { .. })) {
            sink.at(&self.ty, errors::BOX_EMPTY);
        }
        true
    }

    /// Reads the tools, each with what is wrong with it, and takes the macro's attributes off their methods.
    fn take_tools(&mut self, of_box: &BoxAttr, prefix: Option<&str>) -> Vec<(ToolIr, Sink)> {
        let block_cfgs = emit::cfgs(&self.attrs);
        let ty = self.ty.clone();
        let mut tools = Vec::new();
        for item in &mut self.items {
            let Item::Tool { attr, function } = item else { continue };
            let sink = Sink::default();
            let attr = tool_attr::tool(without_self(attr.clone(), &ty), &sink);
            let receiver = function.sig.receiver().is_some();
            if let Some(receiver) = function.sig.receiver() {
                signature::check_receiver(receiver, &sink);
            }
            let owner = OwnerIr { ty: ty.clone(), receiver, prefix: prefix.map(str::to_owned) };
            let mut ir = tool::read(function, attr, Some(owner), &sink);
            of_box.add_to(&mut ir);
            ir.cfgs.splice(0..0, block_cfgs.iter().cloned());
            tools.push((ir, sink));
        }
        tools
    }
}

impl BoxAttr {
    /// What the box says holds for each of its tools, unless the tool says otherwise.
    fn add_to(&self, ir: &mut ToolIr) {
        if ir.attr.group.is_none() {
            ir.attr.group.clone_from(&self.group);
        }
        ir.attr.tags.extend(self.tags.iter().cloned());
        let own: Vec<String> = ir.secret_keys().map(syn::LitStr::value).collect();
        let others = self.secrets.iter().filter(|secret| !own.contains(&secret.key.value()));
        ir.attr.secrets.extend(others.cloned());
    }
}

#[cfg(test)]
mod tests {
    use syn::parse::Parser;

    use super::*;

    #[test]
    fn items_that_are_no_tools_stay_whole() {
        let items = quote! {
            const A: [u8; 2] = { [1, 2] };
            type B = Option<u8>;
            make! { c }
            pub fn d(&self) -> u8 { 1 }
            #[tool] fn e(&self) {}
        };
        let parser = |input: ParseStream<'_>| {
            let mut count = 0;
            while !input.is_empty() {
                input.parse::<Item>()?;
                count += 1;
            }
            Ok(count)
        };
        assert_eq!(parser.parse2(items).ok(), Some(5));
    }
}
