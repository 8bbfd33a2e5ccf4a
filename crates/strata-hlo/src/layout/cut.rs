//! The cheapest way to divide points into two sides (a minimum cut).

use std::collections::VecDeque;

/// A point of a [`Network`].
pub type Point = usize;

/// What no division may cost.
const NEVER: i64 = i64::MAX / 4;

/// Points, and what it costs where one is on the first side and the other is not.
pub struct Network {
    /// To which point each edge leads, and what is left of its cost; the edge of the other direction is beside it.
    edges: Vec<(Point, i64)>,
    of: Vec<Vec<usize>>,
}

/// On the first side, whatever it costs.
pub const FIRST: Point = 0;
/// On the second side, whatever it costs.
pub const SECOND: Point = 1;

impl Network {
    pub fn new() -> Self {
        Self { edges: Vec::new(), of: vec![Vec::new(); 2] }
    }

    pub fn point(&mut self) -> Point {
        self.of.push(Vec::new());
        self.of.len() - 1
    }

    /// What it costs where `from` is on the first side and `to` on the second.
    pub fn cost(&mut self, from: Point, to: Point, cost: i64) {
        if cost <= 0 || from == to {
            return;
        }
        self.of[from].push(self.edges.len());
        self.edges.push((to, cost.min(NEVER)));
        self.of[to].push(self.edges.len());
        self.edges.push((from, 0));
    }

    /// Forbids that `from` is on the first side and `to` on the second.
    pub fn follows(&mut self, from: Point, to: Point) {
        self.cost(from, to, NEVER);
    }

    /// What it costs where these points are not all on one side.
    pub fn together(&mut self, points: &[Point], cost: i64) {
        let others = || points.iter().copied();
        if cost <= 0 || points.len() < 2 {
            return;
        }
        // Points of their own, which are on the first side only where all are, and wherever one is.
        if !others().any(|point| point == SECOND) {
            let all = self.point();
            self.cost(FIRST, all, cost);
            others().for_each(|point| self.follows(all, point));
        }
        if !others().any(|point| point == FIRST) {
            let any = self.point();
            self.cost(any, SECOND, cost);
            others().for_each(|point| self.follows(point, any));
        }
    }

    /// Which points are on the first side in the cheapest division; of several such divisions, the one with the fewest.
    pub fn divide(mut self) -> Vec<bool> {
        loop {
            let distances = self.distances();
            if distances[SECOND].is_none() {
                return distances.iter().map(Option::is_some).collect();
            }
            let mut next = vec![0; self.of.len()];
            while self.augment(&distances, &mut next) {}
        }
    }

    /// How many edges with something left are between the first side and each point.
    fn distances(&self) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.of.len()];
        distances[FIRST] = Some(0);
        let mut queue = VecDeque::from([(FIRST, 0)]);
        while let Some((point, distance)) = queue.pop_front() {
            for edge in &self.of[point] {
                let (to, left) = self.edges[*edge];
                if left > 0 && distances[to].is_none() {
                    distances[to] = Some(distance + 1);
                    queue.push_back((to, distance + 1));
                }
            }
        }
        distances
    }

    /// Uses up one shortest path between the sides; `next` are the edges not tried yet.
    fn augment(&mut self, distances: &[Option<usize>], next: &mut [usize]) -> bool {
        let mut path: Vec<usize> = Vec::new();
        let mut at = FIRST;
        while at != SECOND {
            let found = loop {
                let Some(edge) = self.of[at].get(next[at]).copied() else { break None };
                let (to, left) = self.edges[edge];
                let is_farther = distances[to].is_some() && distances[to] > distances[at];
                if left > 0 && is_farther && distances[to] <= distances[SECOND] {
                    break Some(edge);
                }
                next[at] += 1;
            };
            match found {
                Some(edge) => {
                    path.push(edge);
                    at = self.edges[edge].0;
                }
                None => {
                    let Some(edge) = path.pop() else { return false };
                    at = self.edges[edge ^ 1].0;
                    next[at] += 1;
                }
            }
        }
        let least = path.iter().map(|edge| self.edges[*edge].1).min().unwrap_or(0);
        for edge in path {
            self.edges[edge].1 -= least;
            self.edges[edge ^ 1].1 += least;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, Network, SECOND};

    #[test]
    fn points_are_divided_where_it_costs_least() {
        let mut network = Network::new();
        let points: Vec<_> = (0..4).map(|_| network.point()).collect();
        network.cost(FIRST, points[0], 9);
        network.together(&[points[0], points[1]], 5);
        network.together(&[points[1], points[2], points[3]], 3);
        network.cost(points[2], SECOND, 4);
        let sides = network.divide();
        assert_eq!(
            points.iter().map(|point| sides[*point]).collect::<Vec<_>>(),
            [true, true, false, false]
        );
    }

    #[test]
    fn one_copy_is_for_all_who_read_it() {
        let mut network = Network::new();
        let points: Vec<_> = (0..3).map(|_| network.point()).collect();
        // Three readers on the other side of one value: 4 once, not 3 times 3.
        network.together(&[SECOND, points[0], points[1], points[2]], 4);
        points.iter().for_each(|point| network.cost(FIRST, *point, 3));
        let sides = network.divide();
        assert!(points.iter().all(|point| sides[*point]));
    }

    #[test]
    fn what_costs_the_same_stays() {
        let mut network = Network::new();
        let point = network.point();
        network.together(&[FIRST, point], 2);
        network.together(&[point, SECOND], 2);
        assert!(!network.divide()[point]);
    }
}
