// How many pairs of lock and unlock the callers of two members make whose coordinator is a third
// one, all in one process, over the loopback, by JGroups' LockService with CENTRAL_LOCK: the same
// measurement as in `pairs.rs`, which starts it and tells it the number of callers, line by line.

import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;

import org.jgroups.JChannel;
import org.jgroups.blocks.locking.LockService;

public final class Pairs {
    static final long MEASURED_NS = 800_000_000L;

    // Without bundling, which waits for further messages; queues long enough for all callers.
    static final String STACK =
        "TCP(bind_addr=127.0.0.1;bind_port=7800;enable_bundling=false;loopback=true;"
        + "thread_pool.min_threads=2;thread_pool.max_threads=64;thread_pool.queue_enabled=false;"
        + "thread_pool.rejection_policy=run;oob_thread_pool.min_threads=2;"
        + "oob_thread_pool.max_threads=64;oob_thread_pool.queue_enabled=false;"
        + "oob_thread_pool.rejection_policy=run)"
        + ":TCPPING(initial_hosts=127.0.0.1[7800];port_range=3;timeout=1000;num_initial_members=3)"
        + ":pbcast.NAKACK(use_mcast_xmit=false;gc_lag=0;retransmit_timeout=300,600,1200)"
        + ":UNICAST(timeout=300,600,1200)"
        + ":pbcast.STABLE(stability_delay=1000;desired_avg_gossip=50000;max_bytes=4M)"
        + ":pbcast.GMS(print_local_addr=false;join_timeout=3000)"
        + ":UFC(max_credits=2M;min_threshold=0.4):MFC(max_credits=2M;min_threshold=0.4)"
        + ":FRAG2(frag_size=60K):CENTRAL_LOCK(num_backups=0)";

    public static void main(String[] words) throws Exception {
        JChannel[] channels = new JChannel[3];
        for (int one = 0; one < channels.length; one++) {
            channels[one] = new JChannel(STACK);
            channels[one].connect("bench");
        }
        while (channels[0].getView().size() < channels.length) {
            Thread.sleep(10);
        }
        LockService[] members = {new LockService(channels[1]), new LockService(channels[2])};
        // The just-in-time compiler has seen everything.
        for (int round = 0; round < 5; round++) {
            pairs(members, 64);
        }
        Scanner lines = new Scanner(System.in);
        System.out.println("ready");
        while (lines.hasNextInt()) {
            System.out.println(pairs(members, lines.nextInt()));
        }
        System.exit(0);
    }

    static double pairs(LockService[] members, int callers) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        long begun = System.nanoTime();
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            Lock lock = members[caller % members.length].getLock("lock " + caller);
            calls.add(() -> {
                int count = 0;
                while (System.nanoTime() - begun < MEASURED_NS) {
                    lock.lock();
                    lock.unlock();
                    count++;
                }
                return count;
            });
        }
        int count = 0;
        for (var one : threads.invokeAll(calls)) {
            count += one.get();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        threads.shutdown();
        return count / seconds;
    }
}
