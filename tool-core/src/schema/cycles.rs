//! Which nodes of a graph lie on a cycle: in time linear in its size, so that a schema from elsewhere cannot stall whoever
//! reads it.

/// Whether each node reaches itself. `edges[n]` are the nodes that `n` leads to. (Kosaraju's algorithm, without recursion.)
pub(super) fn on_cycles(edges: &[Vec<usize>]) -> Vec<bool> {
    let mut backwards = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to))) {
        if let Some(sources) = backwards.get_mut(to) {
            sources.push(from);
        }
    }
    let mut cyclic: Vec<bool> = edges.iter().enumerate().map(|(node, all)| all.contains(&node)).collect();
    let mut seen = vec![false; edges.len()];
    for start in finished(edges).into_iter().rev() {
        let component = reached(&backwards, start, &mut seen);
        for node in component.iter().filter(|_| component.len() > 1) {
            if let Some(cyclic) = cyclic.get_mut(*node) {
                *cyclic = true;
            }
        }
    }
    cyclic
}

/// Every node after all that can be reached from it and was not seen before it.
fn finished(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(edges.len());
    let mut seen = vec![false; edges.len()];
    for start in 0..edges.len() {
        let mut way = vec![(start, 0)];
        if visit(&mut seen, start) {
            while let Some((node, next)) = way.last_mut() {
                match edges.get(*node).and_then(|all| all.get(*next)) {
                    Some(to) => {
                        *next += 1;
                        if visit(&mut seen, *to) {
                            way.push((*to, 0));
                        }
                    }
                    None => {
                        order.push(*node);
                        way.pop();
                    }
                }
            }
        }
    }
    order
}

/// The unseen nodes that can be reached from one, itself among them.
fn reached(edges: &[Vec<usize>], start: usize, seen: &mut [bool]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        if visit(seen, node) {
            found.push(node);
            waiting.extend(edges.get(node).into_iter().flatten());
        }
    }
    found
}

/// Marks a node; false where it is marked already, or none.
fn visit(seen: &mut [bool], node: usize) -> bool {
    seen.get_mut(node).is_some_and(|seen| !std::mem::replace(seen, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_themselves_are_told_from_those_that_only_lead_there() {
        let edges = [vec![1], vec![2, 4], vec![1, 3], vec![], vec![4], vec![0, 5, 9], vec![3]];
        assert_eq!(on_cycles(&edges), [false, true, true, false, true, true, false]);
        assert!(on_cycles(&[]).is_empty());
    }

    #[test]
    fn a_hundred_thousand_nodes_in_a_row_or_a_ring_are_no_burden() {
        let row: Vec<Vec<usize>> = (1..=100_000).map(|next| vec![next]).collect();
        assert!(on_cycles(&row).iter().all(|cyclic| !cyclic));
        let ring: Vec<Vec<usize>> = (1..=100_000).map(|next| vec![next % 100_000]).collect();
        assert!(on_cycles(&ring).iter().all(|cyclic| *cyclic));
    }
}
