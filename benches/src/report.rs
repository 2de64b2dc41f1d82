//! What was measured, and what was promised.

use serde_json::{Value, json};

use crate::goal::Goal;
use crate::options::Output;

/// Figures in the order in which they were measured, and the goals among them.
#[derive(Default)]
pub struct Report {
    figures: Vec<(String, f64, &'static str)>,
    /// What was promised, as it turned out.
    pub goals: Vec<Goal>,
}

impl Report {
    /// Notes a figure, and shows that there is progress.
    pub fn figure(&mut self, what: impl Into<String>, value: f64, unit: &'static str) {
        let figure = (what.into(), value, unit);
        eprintln!("{}", line(&figure));
        self.figures.push(figure);
    }

    /// Notes a goal.
    pub fn goal(&mut self, goal: Goal) {
        eprintln!("{}", goal.line());
        self.goals.push(goal);
    }

    /// Prints all of it.
    pub fn print(&self, output: Output) {
        if output == Output::Json {
            let figure =
                |(what, value, unit): &(String, f64, &str)| json!({ "what": what, "value": value, "unit": unit });
            let figures: Vec<Value> = self.figures.iter().map(figure).collect();
            let goals: Vec<Value> = self.goals.iter().map(Goal::json).collect();
            println!("{:#}", json!({ "figures": figures, "goals": goals }));
            return;
        }
        for figure in &self.figures {
            println!("{}", line(figure));
        }
        println!("\ngoals");
        for goal in &self.goals {
            println!("{}", goal.line());
        }
    }
}

fn line((what, value, unit): &(String, f64, &str)) -> String {
    let digits = if *value >= 100.0 { 0 } else { 2 };
    format!("{what:<60} {value:>12.digits$} {unit}")
}
