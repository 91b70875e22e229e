//! Writes a dataset repository for the Hugging Face Hub. Few files hold all runs, so they are read one after the other.

use base::diagnostics::Diagnostic;
use formats::config::Downloads;
use formats::model::cells;
use pages::export;
use pages::export::huggingface::{self, DatasetTables};
use pages::view::task;
use store::publish::Stage;

use super::{Outcome, Progress, Site, SiteContent, read_again, table_error, write as write_table};

pub(super) fn write(
    site: &Site,
    gathered: &SiteContent,
    outcome: &Outcome,
    stage: &Stage,
    progress: &dyn Progress,
) -> Result<(), Diagnostic> {
    let (config, archive) = (&site.config, &gathered.archive);
    let canary = config.policy.canary.as_deref();
    let with_events = config.policy.publish_events && config.publish.downloads == Downloads::Files;
    let failed = table_error(huggingface::CARD);
    let mut tables = DatasetTables::new(canary).map_err(&failed)?;
    if with_events {
        tables.rows.events = Some(0);
    }
    for (entry, findings) in archive.runs.iter().zip(&outcome.findings) {
        let name = task::title(&entry.run, &findings.task);
        read_again(site, gathered, entry, |inspection| {
            let full = tables
                .add(entry, inspection, with_events)
                .map_err(&failed)?;
            if let Some((path, bytes)) = full {
                stage.write(&path, &bytes)?;
            }
            let sessions = inspection.tapes.iter().enumerate();
            let sessions = sessions.filter(|(_, tape)| with_events && !tape.events.is_empty());
            for (number, tape) in sessions {
                let path = huggingface::session_path(entry, number);
                stage.stream(&path, |out| {
                    huggingface::write_session(out, entry, &name, tape, number, canary)
                })?;
                tables.rows.sessions += 1;
            }
            Ok(())
        })?;
        progress.tick();
    }
    let cells = cells::of_archive(archive, &config.cells);
    let mut rows = tables.rows;
    rows.runs = archive.runs.len();
    rows.cells = cells.len();
    for (path, bytes) in tables.finish().map_err(&failed)? {
        stage.write(&path, &bytes)?;
    }
    let runs = archive.runs.iter().zip(&outcome.findings);
    write_table(
        stage,
        huggingface::RUNS,
        export::runs(runs, canary).map(Some),
    )?;
    let table = huggingface::cells(archive, &cells, canary);
    write_table(stage, huggingface::CELLS, table.map(Some))?;
    stage.stream(huggingface::CARD, |out| {
        huggingface::write_card(out, config, rows)
    })?;
    Ok(())
}
