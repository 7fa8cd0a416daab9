// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.Random;
import org.jgrapht.Graph;
import org.jgrapht.Graphs;
import org.jgrapht.alg.shortestpath.BidirectionalDijkstraShortestPath;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;
import programs.more.Load;

/**
 * Healthy: a road map of some hundred megabytes is loaded into a JGraphT graph at the start; then
 * routes are searched, each with large temporary maps.
 */
public final class RouteGraph {

    private static final int ROUTES_A_SECOND = 25;

    private static final int WIDTH = 300;

    private static final int DISTANCE = 40;

    private static double length;

    private final Random random = new Random(1);

    private final Graph<Integer, DefaultWeightedEdge> roads =
            new SimpleDirectedWeightedGraph<>(DefaultWeightedEdge.class);

    private RouteGraph() {
        for (int i = 0; i < WIDTH * WIDTH; i++) {
            roads.addVertex(i);
        }
        for (int i = 0; i < WIDTH * WIDTH; i++) {
            if (i % WIDTH < WIDTH - 1) {
                connect(i, i + 1);
            }
            if (i < WIDTH * (WIDTH - 1)) {
                connect(i, i + WIDTH);
            }
        }
    }

    private void connect(Integer from, Integer to) {
        Graphs.addEdge(roads, from, to, 1 + random.nextDouble());
        Graphs.addEdge(roads, to, from, 1 + random.nextDouble());
    }

    private double route() {
        int x = random.nextInt(WIDTH - DISTANCE);
        int y = random.nextInt(WIDTH - DISTANCE);
        int start = y * WIDTH + x;
        int end = (y + random.nextInt(DISTANCE)) * WIDTH + x + random.nextInt(DISTANCE);
        return new BidirectionalDijkstraShortestPath<>(roads).getPathWeight(start, end);
    }

    public static void main(String... args) {
        RouteGraph map = new RouteGraph();
        Load.at(ROUTES_A_SECOND, args, number -> length += map.route());
        System.out.println("length " + length + ", roads " + map.roads.edgeSet().size());
    }
}
