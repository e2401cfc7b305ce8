//! The interpreter of the table: one schema at a time, from the outside in.
//!
//! Of each schema, what stands in its own way is reported first, then what is told in words, then what is below it.

use serde_json::{Map, Value, json};

use super::exclusive::{are_exclusive, start_alike};
use super::references::{self, Known};
use super::rules::{Rule, is_portable, rule};
use super::sentences::{append, place, sentence};
use super::types;
use crate::args::pointer::push_key;
use crate::dialect::issue::{Action, SchemaIssue};
use crate::dialect::limits;
use crate::dialect::wire::Wire;
use crate::schema::{required_names, without_null};

/// Where a schema stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    /// It is of a property that may be left out.
    pub(super) optional: bool,
    /// It is a parameter's object: the root, or a branch of it.
    pub(super) root: bool,
    /// What is known of the recursive definition it stands in.
    pub(super) known: Known,
}

impl Role {
    fn inner(self) -> Role {
        Role { optional: false, root: false, ..self }
    }
}

/// Compiles schemas to one wire form.
pub(super) struct Walker<'a> {
    wire: Wire,
    /// Whether `maxItems` is told in words.
    describes_items: bool,
    definitions: &'a Map<String, Value>,
    issues: Vec<SchemaIssue>,
    /// Inside a copy of a definition nothing is reported: the definition itself is.
    silent: bool,
}

/// A schema that is being written.
#[derive(Default)]
struct Node {
    schema: Map<String, Value>,
    /// Keywords that are told in words.
    notes: Vec<(String, Value)>,
    /// What is below, in order.
    children: Vec<Child>,
}

/// What is below a schema: compiled after all of its own is reported.
enum Child {
    Properties(Map<String, Value>),
    One(&'static str, Value),
    List(&'static str, &'static str, Vec<Value>),
    /// The values of a map that travels as a list of entries.
    Entries(Value),
}

impl<'a> Walker<'a> {
    pub(super) fn new(wire: Wire, describes_items: bool, definitions: &'a Map<String, Value>) -> Self {
        Self { wire, describes_items, definitions, issues: Vec::new(), silent: false }
    }

    pub(super) fn into_issues(self) -> Vec<SchemaIssue> {
        self.issues
    }

    /// The schema of all arguments.
    pub(super) fn root(&mut self, schema: &Value) -> Value {
        self.value(schema, "", Role { root: true, ..Role::default() })
    }

    /// A recursive definition.
    pub(super) fn definition(&mut self, name: &str, schema: &Value) -> Value {
        self.value(schema, &definition_pointer(name), Role { known: Known::inside(), ..Role::default() })
    }

    fn value(&mut self, schema: &Value, at: &str, role: Role) -> Value {
        match schema {
            Value::Object(schema) => Value::Object(self.schema(schema, at, role)),
            other => other.clone(),
        }
    }

    fn report(&mut self, at: &str, keyword: &str, action: Action) {
        if !self.silent {
            self.issues.push(SchemaIssue { path: at.to_owned(), keyword: keyword.to_owned(), action });
        }
    }

    fn schema(&mut self, schema: &Map<String, Value>, at: &str, role: Role) -> Map<String, Value> {
        let mut schema = schema.clone();
        if role.optional {
            match schema.contains_key("x-keep-null") {
                true if self.wire == Wire::OpenAiStrict => self.report(at, "x-keep-null", Action::Downgraded),
                true => {}
                false => without_null(&mut schema),
            }
        }
        if self.wire == Wire::Gemini
            && let Some(reference) = references::lone(&schema)
        {
            return self.reference(&schema, &reference, at, role);
        }
        if let Some(branches) = types::split(&schema, self.wire) {
            return self.split(&schema, branches, at, role);
        }
        if self.wire.is_strict() && is_any(&schema) {
            self.report(at, "type", Action::Downgraded);
            return schema;
        }
        let mut node = self.own(&schema, at, role);
        self.tell(&mut node, at);
        for child in std::mem::take(&mut node.children) {
            self.below(&mut node.schema, child, &schema, at, role);
        }
        node.schema
    }

    /// A list of types as a union of schemas that each have one.
    fn split(
        &mut self,
        schema: &Map<String, Value>,
        branches: Vec<Map<String, Value>>,
        at: &str,
        role: Role,
    ) -> Map<String, Value> {
        let outer: Map<String, Value> =
            schema.iter().filter(|(keyword, _)| types::is_outer(keyword)).map(pair).collect();
        let mut node = self.own(&outer, at, role);
        self.tell(&mut node, at);
        let branches = branches.iter().map(|branch| Value::Object(self.schema(branch, at, role.inner())));
        node.schema.insert("anyOf".to_owned(), branches.collect());
        node.schema
    }

    /// What a schema says itself; what is below it is only noted.
    fn own(&mut self, schema: &Map<String, Value>, at: &str, role: Role) -> Node {
        let mut node = Node::default();
        let strict = self.wire.is_strict();
        let entries = strict && schema.get("x-entries") == Some(&Value::Bool(true)) && types::is_map(schema);
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("$defs", _) => {}
                ("$ref", _) if self.wire == Wire::AnthropicStrict => {
                    self.report(at, keyword, Action::Downgraded)
                }
                ("description" | "$ref" | "type" | "required", _) => {
                    node.schema.insert(keyword.clone(), value.clone());
                }
                ("x-mcp-header", _) if self.wire == Wire::Mcp => {
                    node.schema.insert(keyword.clone(), value.clone());
                }
                (mark, _) if mark.starts_with("x-") => {}
                ("const", _) if self.wire == Wire::Gemini => {
                    node.schema.insert("enum".to_owned(), json!([value]));
                }
                ("const", _) => {
                    node.schema.insert(keyword.clone(), value.clone());
                }
                ("properties", Value::Object(properties)) => {
                    if self.wire == Wire::Gemini && role.root {
                        self.refuse_names(properties, at);
                    }
                    node.schema.insert(keyword.clone(), Value::Null);
                    node.children.push(Child::Properties(properties.clone()));
                }
                ("additionalProperties", Value::Bool(false)) => {
                    node.schema.insert(keyword.clone(), value.clone());
                }
                ("additionalProperties", _) if entries => node.children.push(Child::Entries(value.clone())),
                ("additionalProperties", _) if strict => self.report(at, keyword, Action::Downgraded),
                ("additionalProperties", _) => {
                    node.children.push(Child::One("additionalProperties", value.clone()));
                }
                ("prefixItems", _) if strict => self.report(at, keyword, Action::Downgraded),
                ("prefixItems", Value::Array(items)) => {
                    node.children.push(Child::List("prefixItems", "prefixItems", items.clone()));
                }
                ("items", _)
                    if schema.contains_key("prefixItems") && (strict || types::is_closed_tuple(schema)) => {}
                ("items", _) => node.children.push(Child::One("items", value.clone())),
                ("anyOf", Value::Array(branches)) => {
                    self.union(&mut node, "anyOf", branches, at);
                }
                ("oneOf", Value::Array(branches)) if !schema.contains_key("anyOf") => {
                    if !are_exclusive(branches, self.definitions) {
                        self.report(at, keyword, Action::Relaxed);
                    }
                    self.union(&mut node, "oneOf", branches, at);
                }
                ("oneOf", _) => self.apply(&mut node, rule("allOf", self.wire), keyword, value, at, entries),
                ("maxItems", _) if self.describes_items => {
                    self.apply(&mut node, Rule::Note, keyword, value, at, entries);
                }
                _ => self.apply(&mut node, rule(keyword, self.wire), keyword, value, at, entries),
            }
        }
        self.shape(&mut node, schema, at);
        node
    }

    /// What the form wants of an object or array that the schema leaves open.
    fn shape(&mut self, node: &mut Node, schema: &Map<String, Value>, at: &str) {
        if types::names(schema).any(|name| name == "array")
            && !schema.contains_key("items")
            && !schema.contains_key("prefixItems")
        {
            match self.wire.is_strict() {
                true => self.report(at, "items", Action::Downgraded),
                false => {
                    node.schema.insert("items".to_owned(), json!({}));
                }
            }
        }
        if self.wire.is_strict() && schema.contains_key("properties") && !types::is_open(schema) {
            node.schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        if self.wire == Wire::Gemini
            && schema.get("additionalProperties") == Some(&Value::Bool(false))
            && let Some(Value::Object(patterns)) = schema.get("patternProperties")
        {
            let mut values = types::distinct(patterns.values().cloned());
            let value = if values.len() == 1 { values.remove(0) } else { json!({"anyOf": values}) };
            node.children.push(Child::One("additionalProperties", value));
        }
    }

    /// The rule of a keyword.
    fn apply(&mut self, node: &mut Node, rule: Rule, keyword: &str, value: &Value, at: &str, entries: bool) {
        let text = value.as_str().unwrap_or("");
        let (kept, told) = match rule {
            Rule::Keep => (!types::is_limit(keyword, value), false),
            Rule::Note => (false, !types::is_limit(keyword, value)),
            Rule::NoteOfEntries if entries => (false, true),
            Rule::Down | Rule::NoteOfEntries => {
                self.report(at, keyword, Action::Downgraded);
                (false, false)
            }
            Rule::Gone => {
                self.report(at, keyword, Action::Relaxed);
                (false, false)
            }
            Rule::Silent => (false, false),
            Rule::IfPortable => (is_portable(text), !is_portable(text)),
            Rule::IfIn(known) => (known.contains(&text), !known.contains(&text)),
            Rule::AtMostOne => {
                let more = value.as_u64().is_some_and(|items| items > 1);
                if more {
                    node.schema.insert(keyword.to_owned(), json!(1));
                }
                (!more, more)
            }
        };
        if kept {
            node.schema.insert(keyword.to_owned(), value.clone());
        }
        if told {
            node.notes.push((keyword.to_owned(), value.clone()));
        }
    }

    fn union(&mut self, node: &mut Node, keyword: &'static str, branches: &[Value], at: &str) {
        if self.wire == Wire::OpenAiStrict && start_alike(branches, self.definitions) {
            self.report(at, keyword, Action::Downgraded);
        }
        node.children.push(Child::List("anyOf", keyword, branches.to_vec()));
    }

    /// Writes what is told in words, and reports it.
    fn tell(&mut self, node: &mut Node, at: &str) {
        node.notes.sort_by_key(|(keyword, _)| place(keyword));
        let mut sentences = Vec::new();
        for (keyword, value) in std::mem::take(&mut node.notes) {
            if let Some(sentence) = sentence(&keyword, &value) {
                sentences.push(sentence);
                self.report(at, &keyword, Action::Described);
            }
        }
        append(&mut node.schema, &sentences);
    }

    fn below(
        &mut self,
        out: &mut Map<String, Value>,
        child: Child,
        schema: &Map<String, Value>,
        at: &str,
        role: Role,
    ) {
        match child {
            Child::Properties(properties) => {
                let properties = self.properties(&properties, schema, at, role);
                if self.wire == Wire::OpenAiStrict {
                    out.insert("required".to_owned(), properties.keys().cloned().collect());
                }
                out.insert("properties".to_owned(), Value::Object(properties));
            }
            Child::One(keyword, value) => {
                let value = self.value(&value, &format!("{at}/{keyword}"), role.inner());
                out.insert(keyword.to_owned(), value);
            }
            Child::List(written, keyword, schemas) => {
                let role = Role { root: role.root && written == "anyOf", ..role.inner() };
                let schemas = schemas.iter().enumerate();
                let schemas: Vec<Value> = schemas
                    .map(|(i, schema)| self.value(schema, &format!("{at}/{keyword}/{i}"), role))
                    .collect();
                if written == "prefixItems" && types::is_closed_tuple(schema) {
                    out.insert("items".to_owned(), types::any_of_elements(&schemas));
                }
                out.insert(written.to_owned(), Value::Array(schemas));
            }
            Child::Entries(values) => {
                let value = self.value(&values, &format!("{at}/additionalProperties"), role.inner());
                let entry = json!({
                    "type": "object",
                    "properties": {"key": {"type": "string"}, "value": value},
                    "required": ["key", "value"],
                    "additionalProperties": false,
                });
                out.insert("type".to_owned(), "array".into());
                out.insert("items".to_owned(), entry);
            }
        }
    }

    fn properties(
        &mut self,
        properties: &Map<String, Value>,
        schema: &Map<String, Value>,
        at: &str,
        role: Role,
    ) -> Map<String, Value> {
        let required = required_names(schema);
        let mut compiled = Map::with_capacity(properties.len());
        for (name, property) in properties {
            let mut pointer = format!("{at}/properties");
            push_key(&mut pointer, name);
            let optional = !required.contains(name);
            let role = Role { optional, root: false, known: role.known.through_property(optional) };
            let mut value = self.value(property, &pointer, role);
            if let (Wire::OpenAiStrict, true, Value::Object(schema)) = (self.wire, optional, &mut value) {
                types::make_nullable(schema);
            }
            compiled.insert(name.clone(), value);
        }
        compiled
    }

    /// A reference under Gemini, which follows none that must be followed for ever.
    fn reference(
        &mut self,
        schema: &Map<String, Value>,
        name: &str,
        at: &str,
        role: Role,
    ) -> Map<String, Value> {
        let Some(Value::Object(definition)) = self.definitions.get(name) else { return schema.clone() };
        if !role.known.is_inside() {
            let mut copy = definition.clone();
            let says = schema.iter().filter(|(keyword, _)| types::is_outer(keyword));
            copy.extend(says.map(pair));
            let before = std::mem::replace(&mut self.silent, true);
            let role = Role { known: Known::inside(), ..role };
            let copy = self.schema(&copy, &definition_pointer(name), role);
            self.silent = before;
            return copy;
        }
        if role.known.may_be_left_out() {
            return self.own(schema, at, role).schema_with_reference(name);
        }
        self.report(at, "$ref", Action::Relaxed);
        references::same_structure(name, definition)
    }

    fn refuse_names(&mut self, properties: &Map<String, Value>, at: &str) {
        let longest = limits::GEMINI_NAME_CHARS.number();
        for name in properties.keys().filter(|name| !references::is_gemini_name(name, longest)) {
            let mut pointer = format!("{at}/properties");
            push_key(&mut pointer, name);
            self.report(&pointer, "properties", Action::Refused);
        }
    }
}

impl Node {
    /// A reference with what is said beside it.
    fn schema_with_reference(self, name: &str) -> Map<String, Value> {
        let reference = json!({"$ref": crate::schema::reference_to(name)});
        let mut schema = self.schema;
        schema.remove("$ref");
        schema.remove("anyOf");
        match (schema.is_empty(), reference) {
            (true, Value::Object(reference)) => reference,
            (_, reference) => {
                schema.insert("anyOf".to_owned(), json!([reference]));
                schema
            }
        }
    }
}

fn pair((keyword, value): (&String, &Value)) -> (String, Value) {
    (keyword.clone(), value.clone())
}

fn definition_pointer(name: &str) -> String {
    let mut pointer = "/$defs".to_owned();
    push_key(&mut pointer, name);
    pointer
}

/// Whether a schema says nothing of the value, or that it is some object.
fn is_any(schema: &Map<String, Value>) -> bool {
    const SAYS: [&str; 8] = ["enum", "const", "anyOf", "oneOf", "$ref", "allOf", "not", "if"];
    if SAYS.iter().any(|keyword| schema.contains_key(*keyword)) {
        return false;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => !["properties", "additionalProperties", "patternProperties", "propertyNames"]
            .iter()
            .any(|keyword| schema.contains_key(*keyword)),
        Some(_) => false,
        None => !schema.contains_key("type") && !schema.contains_key("properties"),
    }
}
