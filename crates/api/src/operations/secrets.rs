//! The keys that seal the actions.

use punctual_store::JobId;

use super::Operations;
use crate::fault::Fault;
use crate::limits;

/// How far a rotation has come.
pub(crate) struct RotationProgress {
    /// Jobs that were sealed with the new key by this call.
    pub(crate) resealed: u32,
    /// Where the next call goes on; none if all is done.
    pub(crate) next: Option<JobId>,
}

/// Takes a new key and seals with it what the old ones have sealed, piece by piece. After the last piece the old keys are
/// forgotten. What was interrupted is finished by the next rotation.
pub(crate) async fn rotate_secrets(operations: &Operations, after: Option<JobId>) -> Result<RotationProgress, Fault> {
    if after.is_none() {
        let added = operations.store.add_sealing_key().await;
        added.map_err(|error| Fault::Conflict { target: "secrets.key", message: error.to_string() })?;
    }
    let mut progress = RotationProgress { resealed: 0, next: after };
    for _ in 0..limits::RESEAL_PIECES_MAX {
        let piece = operations.store.reseal(progress.next).await?;
        progress = RotationProgress { resealed: progress.resealed + piece.resealed, next: piece.next };
        if progress.next.is_none() {
            break;
        }
    }
    Ok(progress)
}
