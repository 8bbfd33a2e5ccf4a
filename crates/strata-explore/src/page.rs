//! The page: one file of HTML with the built script, the styles and the data.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};
use serde_json::{Value, json};
use strata_diag::printable;

use crate::{
    collect::Collected,
    text::{Text, of_source},
};

/// Built from `page/`; `npm run build` writes all of these.
const SCRIPT: &str = include_str!("../bundle/page.js");
const STYLE: &str = include_str!("../bundle/page.css");
const SCRIPT_HASH: &str = include_str!("../bundle/page.js.sha256");
const LICENCES: &str = include_str!("../bundle/licences.txt");

/// The page for a program, with the texts of its source files.
pub fn html(collected: &Collected, sources: &[(String, String)]) -> String {
    let mut data = String::new();
    let mut add = |id: &str, value: &Value| {
        // Base64 has no character that ends an element.
        data.push_str(&format!(
            "<script type=\"text/plain\" id=\"{id}\">{}</script>\n",
            packed(value)
        ));
    };
    add("index", &collected.index);
    for stage in &collected.stages {
        add(&format!("stage-{}", stage.stage.info().name), &stage_data(&stage.text));
    }
    let source = |(file, text): &(String, String)| json!({"file": file, "text": of_source(text)});
    let sources: Vec<_> = sources.iter().map(source).collect();
    add("sources", &Value::Array(sources));
    add("licences", &json!(LICENCES));
    let title = escaped(&printable(collected.index["program"].as_str().unwrap_or_default()));
    let hash = SCRIPT_HASH.trim();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{hash}'; \
         style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"strata explore\">\n\
         <title>{title} – strata explore</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript>This page needs JavaScript, which it runs without a network.</noscript>\n\
         <div id=\"app\"></div>\n{data}<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn stage_data(text: &Text) -> Value {
    let origins = text.origins.iter().map(|origin| json!([origin.nests, origin.operations]));
    json!({"text": text.text, "lines": text.lines, "origins": origins.collect::<Vec<_>>()})
}

/// JSON, compressed as zlib does, in base64.
fn packed(value: &Value) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(value.to_string().as_bytes());
    base64(&encoder.finish().unwrap_or_default())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            text.push(match digit <= group.len() {
                true => char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]),
                false => '=',
            });
        }
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{base64, escaped};

    #[test]
    fn base64_pads_to_groups_of_four() {
        let all: Vec<_> =
            ["", "f", "fo", "foo", "foob"].iter().map(|text| base64(text.as_bytes())).collect();
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
        assert_eq!(base64(&[255, 254, 253]), "//79");
    }

    #[test]
    fn markup_in_a_title_is_text() {
        assert_eq!(escaped("</title><b a=\"&\">"), "&lt;/title&gt;&lt;b a=&quot;&amp;&quot;&gt;");
    }
}
