//! The lock protocol in Promela, for Spin: one process, each step atomic, the same states.

/// The model's text.
pub(crate) fn text(clients: usize, rounds: usize) -> String {
    let mut text = format!(
        "#define C {clients}\n#define R {rounds}\n\
         byte phase[C]; byte round[C]; byte done[C]; byte holder;\n\
         bit request[{m}]; bit grant[{m}]; bit release[{m}]; bit acknowledge[{m}];\n\
         active proctype protocol() {{\n  do\n",
        m = clients * rounds
    );
    for client in 0..clients {
        let c = client;
        let me = client + 1;
        let of = format!("{c}*R+round[{c}]");
        text += &format!(
            "  :: d_step {{ phase[{c}]==0 && round[{c}]<R -> phase[{c}]=1; request[{of}]=1 }}\n\
             \x20 :: d_step {{ phase[{c}]==1 && !request[{of}] -> request[{of}]=1 }}\n\
             \x20 :: d_step {{ phase[{c}]==2 -> phase[{c}]=3; release[{of}]=1 }}\n\
             \x20 :: d_step {{ phase[{c}]==3 && !release[{of}] -> release[{of}]=1 }}\n"
        );
        for round in 0..rounds {
            let m = client * rounds + round;
            text += &format!(
                "  :: d_step {{ request[{m}] -> request[{m}]=0 }}\n\
                 \x20 :: d_step {{ grant[{m}] -> grant[{m}]=0 }}\n\
                 \x20 :: d_step {{ release[{m}] -> release[{m}]=0 }}\n\
                 \x20 :: d_step {{ acknowledge[{m}] -> acknowledge[{m}]=0 }}\n\
                 \x20 :: d_step {{ request[{m}] && done[{c}]=={round} \
                 && (holder==0 || holder=={me}) -> holder={me}; grant[{m}]=1 }}\n\
                 \x20 :: d_step {{ grant[{m}] && phase[{c}]==1 && round[{c}]=={round} \
                 -> phase[{c}]=2 }}\n\
                 \x20 :: d_step {{ release[{m}] && done[{c}]=={round} && holder=={me} \
                 -> holder=0; done[{c}]=done[{c}]+1; acknowledge[{m}]=1 }}\n\
                 \x20 :: d_step {{ release[{m}] && done[{c}]>{round} -> acknowledge[{m}]=1 }}\n\
                 \x20 :: d_step {{ acknowledge[{m}] && phase[{c}]==3 && round[{c}]=={round} \
                 -> phase[{c}]=0; round[{c}]=round[{c}]+1 }}\n"
            );
        }
    }
    text + "  od\n}\n"
}
