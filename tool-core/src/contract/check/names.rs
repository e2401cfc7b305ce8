//! Names of tools: how long, and whether they say what is done.

use super::{Hit, Subject};

/// The most characters of a name.
const LONG: usize = 40;

/// Words that say what a tool does.
const VERBS: &str = "\
    accept activate add adjust allow analyze answer append apply approve archive ask assign attach audit \
    authorize backup block book browse build buy calculate call cancel capture change charge check \
    classify clean clear click clone close collect combine comment commit compare compile compress compute \
    configure confirm connect convert copy count crawl create crop cut deactivate debug decline decode \
    decrypt delete deliver deny deploy describe detach detect diff disable disconnect divide download \
    draft draw drop duplicate echo edit enable encode encrypt estimate evaluate execute exists expand \
    explain export extract fail fetch fill filter find finish fix flush follow forget format forward \
    freeze generate get give grant greet grep group guess hash hide import index insert inspect install \
    invite invoke is join judge kill label launch link list load locate lock log look lookup make mark \
    match measure merge monitor mount move multiply navigate negate notify open order pack parse pause pay \
    pick ping plan play poll post predict preview print probe process publish pull purge push put query \
    rank read rebuild receive record redo refresh refund register reject release reload remember remind \
    remove rename render repair replace reply report request reserve reset resize resolve restart restore \
    resume retry return revert review revoke rewrite roll rotate route run save scan schedule score scrape \
    scroll search select send serve set share show sign sort split start stat stop store stream submit \
    subscribe subtract suggest sum summarize suspend swap switch sync tag tail take tell test think toggle \
    trace track train transcribe transfer transform translate trigger trim unblock undo uninstall unlink \
    unlock unpack unsubscribe update upgrade upload upsert use validate verify view visit wait watch \
    withdraw write";

/// Whether a word of a name says what is done.
pub(super) fn has_verb(name: &str) -> bool {
    words(name).any(|word| VERBS.split(' ').any(|verb| verb == word))
}

/// The words of a name in lower case, whatever stands between them.
pub(super) fn words(name: &str) -> impl Iterator<Item = String> {
    let snake = heck::ToSnakeCase::to_snake_case(name);
    snake.split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

pub(super) fn name_long(subject: &Subject<'_>) -> Vec<Hit> {
    let length = subject.tool.name().chars().count();
    let text = || format!("the name has {length} characters; keep it to {LONG}");
    (length > LONG).then(|| Hit::of_tool(text())).into_iter().collect()
}

pub(super) fn name_verbless(subject: &Subject<'_>) -> Vec<Hit> {
    let text = "the name has no verb: say what the tool does, such as get, list, create or send";
    (!has_verb(subject.tool.name())).then(|| Hit::of_tool(text)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_sorted_and_stand_once() {
        assert!(VERBS.split(' ').is_sorted_by(|a, b| a < b));
        assert!(VERBS.split(' ').all(|verb| !verb.is_empty()));
    }

    #[test]
    fn words_are_told_apart_by_case_and_by_what_stands_between() {
        for name in ["readFile", "file_read", "File-Read", "read"] {
            assert!(has_verb(name), "{name}");
        }
        for name in ["ready_file", "file", "weather_forecast"] {
            assert!(!has_verb(name), "{name}");
        }
    }
}
