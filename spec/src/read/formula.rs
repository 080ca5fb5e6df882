//! Resolves the names of formulas. The build omits formulas that cannot be resolved; a lint reports
//! them.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::code;
use crate::diagnostic::similarity::nearest;
use crate::formula::{
    CollectionId, Definition, Domain, Formula, Formulas, PredicateId, RuleId, Signature, Var,
};
use crate::limit;
use crate::raw::{self, Connective, Quantifier, call};
use crate::read::asked;
use crate::read::draft::Lookup;
use crate::table::StateId;
use crate::vec_map::VecSet;
use crate::yaml::Word;

/// The valid formulas of a draft.
pub(crate) fn formulas(lookup: &Lookup<'_>) -> Formulas {
    let words = &lookup.vocabulary.formulas;
    let parts = &lookup.draft.parts;
    let of = |names: &[Signature], list: &raw::Named<raw::Rule>| {
        let stated = |name: &Signature| {
            let (word, rule) = list.iter().find(|(word, _)| word.text == name.name.name)?;
            let formula = resolve(lookup, word, rule).ok()?;
            let mut words = Vec::new();
            rule.is.lines(0, &mut words);
            Some(Definition { formula, words, span: rule.span })
        };
        names.iter().map(stated).collect()
    };
    Formulas {
        rules: of(&words.rules, &parts.rules),
        invariants: of(&words.invariants, &parts.invariants),
        guards: of(&words.guards, &parts.guard_formulas),
    }
}

/// Resolves the formula of a rule, an invariant or a guard.
pub(crate) fn resolve(
    lookup: &Lookup<'_>,
    name: &Word,
    rule: &raw::Rule,
) -> Result<Formula, Vec<Diagnostic>> {
    let mut resolver = Resolver { lookup, scope: Vec::new(), diagnostics: Vec::new() };
    let guards = &lookup.vocabulary.formulas.guards;
    let guard = guards.iter().find(|one| rule.is_of_guard && one.name.name == name.text);
    let of = guard.map_or_else(
        || rule.of.clone(),
        |guard| {
            guard.params.iter().map(|text| Word { text: text.clone(), span: name.span }).collect()
        },
    );
    of.iter().for_each(|word| resolver.bind(word));
    if is_circular(lookup, &name.text) {
        let message = format!("the rule `{}` is recursive", name.text);
        let diagnostic = Diagnostic::finding(code::INVALID_FORMULA, message)
            .label(name.span, "it refers to itself, directly or through other rules")
            .help("write the condition out in one of the rules");
        resolver.diagnostics.push(diagnostic);
    }
    let formula = resolver.formula(&rule.is);
    let words = &lookup.vocabulary.formulas;
    let is_place = |name: &str| resolver.states(name).is_some();
    let unanswered = asked::unanswered(words, (name, rule), is_place);
    resolver.diagnostics.extend(unanswered);
    if resolver.diagnostics.is_empty() { Ok(formula) } else { Err(resolver.diagnostics) }
}

/// Whether a rule is recursive, directly or through other rules.
fn is_circular(lookup: &Lookup<'_>, name: &str) -> bool {
    let rules = &lookup.draft.parts.rules;
    let mut seen = VecSet::default();
    let mut open = vec![name];
    while let Some(next) = open.pop() {
        if !seen.add(next) {
            continue;
        }
        let texts =
            rules.iter().rfind(|(word, _)| word.text == next).map(|(_, rule)| rule.is.texts());
        for word in texts.unwrap_or_default() {
            let head = call(&word.text).0;
            if head == name {
                return true;
            }
            open.push(head);
        }
    }
    false
}

struct Resolver<'a> {
    lookup: &'a Lookup<'a>,
    scope: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn bind(&mut self, word: &Word) {
        if self.scope.contains(&word.text) {
            let message = format!("variable `{}` is already bound", word.text);
            let diagnostic = Diagnostic::finding(code::VARIABLE, message)
                .label(word.span, "shadows an outer variable or parameter")
                .help("rename one of them");
            self.diagnostics.push(diagnostic);
        }
        if self.scope.len() >= limit::VARIABLES {
            let what = "the formula has too many variables";
            self.diagnostics.push(Diagnostic::limit(
                word.span,
                what,
                "variables",
                limit::VARIABLES,
            ));
        }
        self.scope.push(word.text.clone());
    }

    fn formula(&mut self, raw: &raw::Formula) -> Formula {
        match raw {
            raw::Formula::Leaf(word) => self.leaf(word),
            raw::Formula::Not(part) => Formula::Not(Box::new(self.formula(part))),
            raw::Formula::Of(how, parts, span) => {
                let mut parts: Vec<Formula> = parts.iter().map(|part| self.formula(part)).collect();
                match how {
                    Connective::All => return Formula::All(parts),
                    Connective::Any => return Formula::Any(parts),
                    Connective::Implies | Connective::Iff => {}
                }
                let (Some(second), Some(first), true) =
                    (parts.pop(), parts.pop(), parts.is_empty())
                else {
                    let diagnostic = Diagnostic::finding(
                        code::INVALID_FORMULA,
                        "`implies` and `iff` take exactly two conditions",
                    )
                    .label(*span, "expected a list of two")
                    .help("write `implies: [FIRST, SECOND]`");
                    self.diagnostics.push(diagnostic);
                    return Formula::All(Vec::new());
                };
                if how == &Connective::Iff {
                    return Formula::Iff(Box::new(first), Box::new(second));
                }
                Formula::Any(vec![Formula::Not(Box::new(first)), second])
            }
            raw::Formula::Quantified(how, word, part) => {
                let among = self.among(word);
                let variable = word.text.split_once(" in ").map_or("", |(name, _)| name.trim());
                self.bind(&Word { text: variable.to_owned(), span: word.span });
                let part = Box::new(self.formula(part));
                self.scope.pop();
                match how {
                    Quantifier::Every => Formula::Every(among, part),
                    Quantifier::Some => Formula::Some(among, part),
                    Quantifier::None => Formula::Not(Box::new(Formula::Some(among, part))),
                }
            }
        }
    }

    /// The range of `VARIABLE in WORD`.
    fn among(&mut self, word: &Word) -> Domain {
        let Some((_, among)) = word.text.split_once(" in ") else {
            let message = format!("the quantifier `{}` binds no variable", word.text);
            let diagnostic = Diagnostic::finding(code::INVALID_FORMULA, message)
                .label(word.span, "expected `VARIABLE in STATE`")
                .help("write `lock in ACTIVE`: a variable, and a state, a set or a collection");
            self.diagnostics.push(diagnostic);
            return Domain::States(Vec::new());
        };
        let (head, arguments) = call(among);
        let collections = &self.lookup.vocabulary.formulas.collections;
        if let Some((at, signature)) = find(collections, head) {
            let args = self.arguments(word, signature, &arguments);
            return Domain::Collection { collection: CollectionId(at), args };
        }
        match self.states(among.trim()) {
            Some(states) => Domain::States(states),
            None => {
                let known = collections.iter().map(|one| one.name.name.as_str());
                let states = self.lookup.draft.parts.states.iter().map(|(w, _)| w.text.as_str());
                let sets = self.lookup.draft.parts.sets.iter().map(|(w, _)| w.text.as_str());
                self.undeclared(word, head, known.chain(states).chain(sets).collect());
                Domain::States(Vec::new())
            }
        }
    }

    fn states(&self, word: &str) -> Option<Vec<StateId>> {
        let is_known = word == "any"
            || self.lookup.set(word).is_some()
            || self.lookup.declaration(word).is_some();
        is_known.then(|| self.lookup.sources(word))
    }

    fn leaf(&mut self, word: &Word) -> Formula {
        let (head, arguments) = call(&word.text);
        let words = &self.lookup.vocabulary.formulas;
        if let Some((at, signature)) = find(&words.predicates, head) {
            let args = self.arguments(word, signature, &arguments);
            return Formula::Is { predicate: PredicateId(at), args };
        }
        // An amendment may add or remove the rule.
        let is_here =
            |name: &str| self.lookup.draft.parts.rules.iter().any(|(w, _)| w.text == name);
        if let Some((at, signature)) = find(&words.rules, head).filter(|_| is_here(head)) {
            let args = self.arguments(word, signature, &arguments);
            return Formula::Rule { rule: RuleId(at), args };
        }
        if let Some((thing, states)) = word.text.split_once(" in ")
            && let Some(states) = self.states(states.trim())
        {
            return match self.variable(word, thing.trim()) {
                Some(term) => Formula::In { term, states },
                None => Formula::All(Vec::new()),
            };
        }
        // The variable is bound, so the state is the unknown name.
        if let Some((thing, among)) = word.text.split_once(" in ")
            && self.scope.iter().any(|known| known == thing.trim())
        {
            let parts = &self.lookup.draft.parts;
            let states = parts.states.iter().map(|(word, _)| word.text.as_str());
            let sets = parts.sets.iter().map(|(word, _)| word.text.as_str());
            self.undeclared(word, among.trim(), states.chain(sets).collect());
            return Formula::All(Vec::new());
        }
        let rules = words.rules.iter().filter(|one| is_here(&one.name.name));
        let known = words.predicates.iter().chain(rules);
        self.undeclared(word, head, known.map(|one| one.name.name.as_str()).collect());
        Formula::All(Vec::new())
    }

    fn undeclared(&mut self, word: &Word, name: &str, known: Vec<&str>) {
        let help = match nearest(name, known.into_iter()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it under `predicates` or `collections`, or name a state".to_owned(),
        };
        let message = format!("`{name}` is not declared");
        let diagnostic = Diagnostic::finding(code::UNDECLARED_PREDICATE, message)
            .label(word.span, "no such predicate, collection, rule, state or set")
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    fn arguments(&mut self, word: &Word, signature: &Signature, given: &[&str]) -> Vec<Var> {
        if given.len() != signature.params.len() {
            let message = format!(
                "`{}` takes {}, but {} given",
                signature.name.name,
                arguments(signature.params.len()),
                if given.len() == 1 { "1 is".to_owned() } else { format!("{} are", given.len()) }
            );
            let diagnostic = Diagnostic::finding(code::ARGUMENTS, message)
                .label(word.span, "wrong number of arguments")
                .label(signature.name.span, "declared here")
                .help(format!("write `{}({})`", signature.name.name, signature.params.join(", ")));
            self.diagnostics.push(diagnostic);
        }
        given.iter().filter_map(|name| self.variable(word, name)).collect()
    }

    fn variable(&mut self, word: &Word, name: &str) -> Option<Var> {
        let at = self.scope.iter().position(|known| known == name);
        if at.is_none() {
            let help = match nearest(name, self.scope.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("bind it: `of: [{name}]` in the rule, or `every: {name} in STATE`"),
            };
            let diagnostic =
                Diagnostic::finding(code::VARIABLE, format!("unbound variable `{name}`"))
                    .label(word.span, "no parameter or variable has this name")
                    .help(help);
            self.diagnostics.push(diagnostic);
        }
        at.and_then(|at| u8::try_from(at).ok()).map(Var)
    }
}

fn arguments(count: usize) -> String {
    if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
}

fn find<'a>(list: &'a [Signature], name: &str) -> Option<(u16, &'a Signature)> {
    let at = list.iter().position(|one| one.name.name == name)?;
    Some((u16::try_from(at).ok()?, &list[at]))
}
