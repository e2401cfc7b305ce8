//! Names to addresses. A connection is made to what is found here and to nothing else, so what is judged is what is reached.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tool_core::BoxFuture;

use crate::reach::Reach;

/// How a name is looked up.
pub(crate) type LookUp = dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync;

/// Looks names up, and gives away only the addresses that are reached.
pub(crate) struct Resolver {
    pub(crate) reach: Reach,
    pub(crate) look_up: Arc<LookUp>,
}

/// Why a name leads nowhere.
#[derive(Debug)]
pub(crate) enum Lost {
    /// It has no address.
    Unknown(io::Error),
    /// It has none that is reached.
    Refused,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Unknown(error) => write!(f, "the name has no address: {error}"),
            Lost::Refused => f.write_str("no address of the name is reached"),
        }
    }
}

impl Error for Lost {}

/// As the system looks names up.
pub(crate) fn system() -> Arc<LookUp> {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, found) = (self.reach.clone(), (self.look_up)(name.as_str().to_owned()));
        Box::pin(async move {
            let all = found.await.map_err(Lost::Unknown)?;
            if all.is_empty() {
                return Err(Lost::Unknown(io::ErrorKind::NotFound.into()).into());
            }
            let reached: Vec<SocketAddr> =
                all.into_iter().filter(|address| reach.allows(*address)).map(|ip| (ip, 0).into()).collect();
            if reached.is_empty() {
                return Err(Lost::Refused.into());
            }
            Ok(Box::new(reached.into_iter()) as Addrs)
        })
    }
}
