// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "commands.hpp"

#include <algorithm>

#include "tessera/transform/optimize.hpp"
#include "tessera/transform/optimize_alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

// ---- verbs

constexpr std::string_view usual_exit_codes = R"(Exit status:
  0  success
  1  invalid input: a file is malformed or not valid, or a run ended with an error
  2  wrong command line
  3  a file can't be read or written
)";
constexpr std::string_view exit_codes_of_several = R"(Exit status:
  0  success
  1  invalid input: a file is malformed or not valid, or a run ended with an error
  2  wrong command line
  3  a file can't be read or written
With several files, the highest status of any file.
)";
constexpr std::string_view exit_codes_of_lsp = R"(Exit status:
  0  the client ended the session with shutdown and exit
  1  it ended otherwise
  2  wrong command line
  3  a file can't be read
)";
constexpr std::string_view exit_codes_of_diff = R"(Exit status:
  0  the two are identical
  1  they differ, or one of them is malformed
  2  wrong command line
  3  a file can't be read or written
)";

constexpr unsigned in_runnable = in_alir | in_ark | in_nac | in_nem | in_genome;
constexpr unsigned in_all = in_runnable | in_pt2;

constexpr unsigned in_networks = in_ark | in_nac | in_pt2 | in_genome;

constexpr verb_row verb_rows[] = {
    {"", about_tool, in_all, usual_exit_codes},
    {"info", "Summarise what files contain", in_all, exit_codes_of_several},
    {"check", "Verify files and report what is wrong", in_all, exit_codes_of_several},
    {"print", "List a program, one operation per line", in_all, usual_exit_codes},
    {"run", "Run a program on inputs from files, or on random ones", in_runnable, usual_exit_codes},
    {"trace", "Run a program and write its timeline, or of ALIR each value",
     in_alir | in_ark | in_nac | in_nem, usual_exit_codes},
    {"convert", "Write a program in another form or version", in_alir | in_ark | in_nac | in_pt2,
     usual_exit_codes},
    {"import", "Make a NAC container from an exported program of PyTorch", in_pt2,
     usual_exit_codes},
    {"optimize", "Make a program that computes the same with fewer instructions", in_alir | in_nac,
     usual_exit_codes},
    {"lower", "Make a NEM program for a device from a NAC container", in_nac, usual_exit_codes},
    {"assemble", "Make a NAC container from assembly text", in_nac, usual_exit_codes},
    {"canonicalise", "Renumber the Ids of an ARK model and sort its lists", in_ark,
     usual_exit_codes},
    {"diff", "Show the differences between two programs, ignoring their ids",
     in_alir | in_ark | in_nac | in_nem | in_genome, exit_codes_of_diff},
    {"graph", "Draw a model, as SVG or as a Graphviz DOT graph",
     in_alir | in_ark | in_nac | in_nem | in_genome, usual_exit_codes},
    {"view", "Make a page for a browser that shows a file",
     in_alir | in_ark | in_nac | in_nem | in_pt2 | in_genome, usual_exit_codes},
    {"fmt", "Format NEM text, keeping its comments", in_nem, exit_codes_of_several},
    {"lsp", "Serve editors: NEM's findings, hover, completion and more", in_nem, exit_codes_of_lsp},
    {"tokens", "Turn texts into the ids of a container's tokenizer, or back", in_nac,
     usual_exit_codes},
    {"completion", "Print the completion of the command line for a shell", 0, usual_exit_codes},
    {"man", "Print the manual page", 0, usual_exit_codes},
    {"help", "Describe a verb, or its options for a format", 0, usual_exit_codes},
    {"genome", "Find, compare and compress the genes of networks", in_networks, usual_exit_codes},
    {"genome mine", "Find the genes of networks: pieces that recur", in_networks, usual_exit_codes},
    {"genome compress", "Replace pieces of networks with patterns", in_networks, usual_exit_codes},
    {"genome expand", "Replace patterns with their nodes", in_networks, usual_exit_codes},
    {"genome rules", "Find the rules by which networks are built", in_networks, usual_exit_codes},
    {"genome profile", "Count the operations of networks", in_networks, usual_exit_codes},
    {"genome compare", "Measure the distances between networks", in_networks, usual_exit_codes},
    {"genome tree", "Draw the family tree of networks", in_networks, usual_exit_codes},
    {"genome transplant", "Give a network the weights of another one's matching blocks", in_nac,
     usual_exit_codes},
    {"genome synthesize", "Make new networks by the rules of others", in_networks,
     usual_exit_codes},
};

// ---- options

constexpr std::string_view of_genomes =
    "genome mine,genome compress,genome expand,genome rules,genome profile,genome compare,"
    "genome tree";
constexpr std::string_view of_networks =
    "genome mine,genome compress,genome expand,genome rules,genome profile,genome compare,"
    "genome tree,view";
constexpr std::string_view of_genes = "genome mine,genome compare,genome tree,view";
constexpr std::string_view of_distances = "genome compare,genome tree,view";
constexpr std::string_view of_streams = "genome compress,genome expand";
constexpr std::string_view methods = "fp16 int8_tensor int8_channel block_fp8";
constexpr double most = 4294967295;

constexpr option_row option_rows[] = {
    // Files
    {"info", "FILE...!", "", everywhere, "Files to summarise; - is standard input"},
    {"check", "FILE...!", "", everywhere,
     "Files to check, or folders of them; - is standard input"},
    {"print", "FILE!", "", everywhere, "The file to print; - is standard input"},
    {"run", "FILE...!", "", everywhere,
     "The program, or all ranks of an ARK model; - is standard input"},
    {"trace", "FILE!", "", everywhere,
     "An ALIR program, an ARK plan, a NAC container or a NEM program;\n- is standard input"},
    {"convert", "FILE!", "", everywhere, "The file to convert; - is standard input"},
    {"import", "FILE!", "", everywhere, "A PT2 archive of torch.export.save; - is standard input"},
    {"optimize", "FILE!", "", everywhere, "The NAC container or ALIR program; - is standard input"},
    {"lower", "FILE!", "", everywhere, "The NAC container; - is standard input"},
    {"assemble", "TEXT!", "", everywhere,
     "Assembly, printed by `tessera print` or written by hand; - is standard input"},
    {"canonicalise", "FILE!", "", everywhere, "The model; - is standard input"},
    {"diff", "BEFORE!", "", everywhere,
     "The first program: ALIR, ARK, NAC, NEM or v1.2; - is standard input"},
    {"diff", "AFTER!", "", everywhere, "The second; - is standard input"},
    {"graph", "FILE...!", "", everywhere,
     "A program, or all ranks of an ARK model; - is standard input"},
    {"view", "FILE...!", "", everywhere,
     "A file of any format, all ranks of an ARK model, two files of which the page\n"
     "shows what differs, or networks of a corpus: a folder, v1.2 streams, three or\n"
     "more NAC containers; - is standard input"},
    {"fmt", "FILE...!", "", everywhere, "NEM files; - is standard input"},
    {of_genomes, "FILE...!", "", everywhere,
     "NAC containers, PT2 archives, ARK models, v1.2 streams and\n"
     "signatures, or folders of them; - is standard input"},
    {"tokens", "FILE!", "", everywhere, "A NAC container with a tokenizer; - is standard input"},
    {"tokens", "TEXT...", "", everywhere,
     "The texts, or with --decode one list of ids (lines of standard input)"},
    {"tokens", "--decode", "", everywhere, "Turn ids into text"},
    {"tokens", "--keep-special", "", everywhere, "With --decode: keep tokens such as [CLS]"},
    {"completion", "SHELL!", "", everywhere, "The shell", "bash zsh fish"},
    {"convert,assemble,import,optimize,lower", "-o,--output,OUTPUT!", "FILE", everywhere,
     "The file to write; - is standard output"},
    {"canonicalise", "-o,--output,OUTPUT", "FILE", everywhere,
     "The file to write (standard output)"},
    {"optimize", "-i,--input", "[NAME=]FILE", in_nac,
     "The elements of an input, of one run before and after"},
    {"run,trace", "-i,--input", "[NAME=]FILE", everywhere,
     "The values of all inputs or of one: ALIR: a row per sample; else the\n"
     "elements of a tensor"},
    {"run", "-o,--output", "[NAME=]FILE", everywhere,
     "The file for all outputs or for one (ALIR: standard output; else none, and\n"
     "a summary is shown)"},
    {"trace,graph,view,genome compare,genome tree", "-o,--output", "FILE", everywhere,
     "The file to write (standard output)"},
    {"run", "--input-format", "FORMAT", everywhere, "The format of input files (by name)",
     "csv npy raw"},
    {"run", "--output-format", "FORMAT", everywhere, "The format of output files (by name)",
     "csv npy raw"},
    // JSON
    {"info", "--json", "", everywhere, "Print a JSON object per file"},
    {"check", "--json", "", everywhere,
     "Print a JSON object per file: file, format, ok, diagnostics, and unsupported\noperations"},
    {"print", "--json", "", everywhere,
     "Print operations with their operands and types as one JSON object"},
    {"run", "--json", "", everywhere,
     "Print a summary as one JSON object, and outputs only to files"},
    {"trace", "--json", "", in_nem,
     "Print the report as a JSON object on standard output, and write\n"
     "the trace only to --output"},
    {"diff", "--json", "", everywhere, "Print the differences as one JSON object"},
    {"optimize", "--json", "", everywhere, "Print sizes and changes as one JSON object"},
    {"tokens", "--json", "", everywhere, "Print a JSON object per text: text, ids and tokens"},
    {"fmt", "--json", "", everywhere, "Report invalid files as JSON objects, one per line"},
    {"genome mine", "--json", "", everywhere, "Print the genes as one JSON object"},
    {"genome rules", "--json", "", everywhere, "Print the rules as one JSON object"},
    {"genome profile", "--json", "", everywhere,
     "Print the counts, including those of each model, as one JSON object"},
    {"genome compare", "--json", "", everywhere, "Print the distances as one JSON object"},
    // check
    {"check", "--all", "", everywhere,
     "Show all warnings and notes, not only the first 3 of each rule: up to 1000,\n"
     "or one per 64 bytes of larger files"},
    {"check", "--format", "FORMAT", everywhere,
     "The form of the report (text): json is --json, sarif is one SARIF 2.1.0 run\n"
     "for code scanning",
     "text json sarif"},
    {"check", "--runnable", "", in_ark | in_nac | in_genome,
     "Report operations that `tessera run` doesn't implement as an error"},
    {"check", "--lenient", "", in_ark, "Report unknown Types as warnings, not errors"},
    {"check", "--fp8", "", in_ark, "Report FP8 data types as warnings, not errors"},
    {"check", "--no-hazards", "", in_ark,
     "Skip the search for accesses without an order (rule G14)"},
    {"check", "--ranks", "", in_ark,
     "Require that the files are all ranks of one model, each once"},
    {"check", "--model", "FILE", in_ark, "The model that a plan must match"},
    {"check", "--strict", "", in_nac, "Treat warnings as errors, and require external weights"},
    // Inputs and budgets of runs
    {"run", "--random", "SEED", everywhere,
     "The seed of random values for inputs without a file, and of NAC execution\nplans"},
    {"trace", "--random", "SEED", everywhere,
     "The seed of random values for inputs without a file"},
    {"lower", "--random", "SEED", everywhere,
     "The seed of the random inputs of --check and of runs that find ranges (0)"},
    {"optimize", "--random", "SEED", in_nac,
     "The seed of random values for inputs without a file (zeros)"},
    {"run,trace", "--samples", "COUNT", in_alir,
     "The number of samples: the first of a file (all), or random (16)"},
    {"run", "--threads", "COUNT", in_alir, "The number of threads (1); 0 is one per processor", "",
     0, 1024},
    {"run", "--model", "FILE", in_ark,
     "A model that must give the same outputs on the same inputs; the exit status\n"
     "is 1 if it doesn't"},
    {"run", "--fast", "", in_ark, "Sum products in FP32 and in any order, not in FP64"},
#ifdef TESSERA_HAS_MPI
    {"run", "--mpi", "", in_ark, "Run each rank in a process of its own, started by mpirun"},
#endif
    {"run", "--steps", "COUNT", in_ark | in_nac | in_nem | in_genome,
     "The number of runs (1); buffers and states keep their values"},
    {"trace", "--steps", "COUNT", in_nac, "The number of runs (1); states keep their values"},
    {"run", "--max-memory", "BYTES", in_ark | in_nac | in_nem | in_genome,
     "The maximum memory of values, in bytes (4 GiB)"},
    {"lower", "--max-steps", "COUNT", everywhere,
     "The maximum number of steps of each run of the network or the program\n(4294967296)"},
    {"trace,lower", "--max-memory", "BYTES", everywhere,
     "The maximum memory of values, in bytes (4 GiB)"},
    {"optimize", "--max-memory", "BYTES", in_nac, "The maximum memory of values, in bytes (4 GiB)"},
    {"optimize", "--max-steps", "COUNT", in_nac,
     "The maximum number of steps of each of the two runs (4294967296)"},
    {"run,trace", "--max-steps", "COUNT", everywhere,
     "The maximum number of steps (4294967296): an element read or written is one\n"
     "or a few, an instruction 64; ALIR: operations times samples (unlimited)"},
    {"info", "--max-steps", "COUNT", in_nac,
     "The maximum number of steps of a measured run (4294967296)"},
    {"run", "--shape", "[NAME=]SHAPE", in_nac | in_genome,
     "The shape and type of an input: 1x3x224x224, or 1x16:i64"},
    {"info,trace,graph,view", "--shape", "[NAME=]SHAPE", in_nac,
     "The shape and type of an input: 1x3x224x224, or 1x16:i64"},
    {"info,run,trace,graph,view", "--text", "[NAME=]TEXT", in_nac,
     "Text for an input, encoded by the container's tokenizer"},
    {"run", "--weights", "FILE", in_ark | in_nac | in_genome,
     "The safetensors file with external weights (model.safetensors in the\n"
     "folder of model.nac)"},
    {"check,info,trace,graph,view", "--weights", "FILE", in_nac,
     "The safetensors file with external weights (model.safetensors in the\n"
     "folder of model.nac)"},
    {"run", "--schedule", "ORDER", in_nac | in_nem,
     "NAC: when results are freed: file (by its memory schedule, or after their\n"
     "last use), planned (after their last use, whatever the schedule says) or\n"
     "none (at the end)\n"
     "NEM: the order of tasks that are ready: in-order (of the text), reverse,\n"
     "random or random:SEED"},
    {"trace,info", "--schedule", "ORDER", in_nac,
     "When results are freed: file (by its memory schedule, or after their last\n"
     "use), planned (after their last use, whatever the schedule says) or none\n"
     "(at the end)",
     "file planned none"},
    {"run", "--seed", "SEED", in_nac, "The seed of the program's random operations (0)"},
    {"run", "--no-plan", "", in_nac, "Run the program even if the container has an execution plan"},
    {"run", "--answer", "TEXT", in_nac,
     "The answer to a prompt of the execution plan; further ones are read from\n"
     "standard input"},
    {"run", "--folder", "DIRECTORY", in_nac,
     "The folder where the execution plan reads and writes files (none: it reads\n"
     "from the container's folder and writes nothing)"},
    {"run", "--any-path", "", in_nac, "Permit the execution plan to read files anywhere"},
    {"run", "--raw", "", in_nac, "Don't escape control characters that the execution plan prints"},
    {"run", "--mode", "WORD", in_nac, "The mode of the execution plan (infer)"},
    {"run", "--keep-going", "", in_nem,
     "Continue after a division by zero or an index out of range, with 0"},
    {"run", "--races", "", in_nem,
     "Search the run for unordered tasks even if verification did so already;\n"
     "a note reports an incomplete search"},
    {"run", "--allow-races", "", in_nem, "Run a program despite races; each is a warning"},
    {"run", "--step", "", in_nem,
     "Execute task by task, with breakpoints, by commands from standard input;\n"
     "`help` lists them"},
    {"run", "--script", "FILE", in_nem, "Like --step, with the commands of a file"},
    {"run,graph", "--stream", "NAME", in_genome, "The name of the stream in a signatures file"},
    {"trace", "--timing", "NAME=VALUE", in_nem,
     "A parameter of the cost model: bandwidth (bytes per cycle, 32),\n"
     "transfer_latency (cycles, 4), macs (per cycle; those of the target's NMU,\n"
     "or 4096), product_latency (2), elements (per cycle, 256),\n"
     "element_latency (1)"},
    {"trace", "--report", "FILE", in_nem, "The file for the report (standard error)"},
    {"trace", "--format", "FORMAT", in_alir | in_nem,
     "The form of the trace (by the output's name; else table or chrome)\n"
     "ALIR: table, csv, json, or vcd for GTKWave\n"
     "NEM: chrome is JSON for Perfetto, csv a table with a line per task",
     "table csv json vcd chrome"},
    // info, print and graph
    {"info", "--all", "", in_nac | in_nem,
     "NAC: list every parameter and resource, not only the first 20; NEM: list the\n"
     "address of each buffer"},
    {"info", "--quantization-error", "METHOD", in_nac,
     "The quantization method whose error is measured; reads all weights", methods},
    {"print", "--schedule", "", in_nac, "Show the memory commands of each instruction"},
    {"print", "--inline", "", in_nac, "Print all payloads in hex, whatever their size"},
    {"print", "--ast", "", in_nem, "Print the syntax tree with the place of each node"},
    {"print", "--comments", "", in_nem, "Add comments with the resolved bytes, types and defaults"},
    {"graph", "--fold", "", in_alir | in_ark | in_nac,
     "Draw fewer boxes: of ALIR one for the operations of a stage that the same\n"
     "output needs; of ARK Softmax, LayerNorm, RMSNorm and SiLU as one each; of NAC\n"
     "one for instructions that only pass a value on"},
    {"graph,view", "-i,--input", "[NAME=]FILE", in_nac, "The elements of an input, to show shapes"},
    {"graph,view", "--random", "SEED", in_nac,
     "The seed of random values for inputs without a file (zeros)"},
    {"graph,view", "--max-steps", "COUNT", in_nac,
     "The maximum number of steps of the run that gives the shapes (4294967296)"},
    {"graph", "--svg", "", everywhere,
     "Write SVG, not a Graphviz DOT graph; files named .svg are SVG anyway"},
    {"check", "--svg", "FILE", in_nem,
     "Draw the tasks of a program here, with what was found about them in red"},
    {"graph", "--schedule", "", in_nac,
     "Show the memory commands of instructions; forwarded values are dashed"},
    {"graph", "--no-parameters", "", in_nac | in_genome, "Omit parameters"},
    {"view", "--no-weights", "", in_nac | in_pt2,
     "Don't read weights for their ranges and histograms"},
    {"graph", "--expand", "", in_nem | in_genome,
     "NEM: draw every iteration of a loop, not only the first; NAC v1.2: the nodes\n"
     "of patterns"},
    // Formats with files of their own
    {"check,info,print,run,trace,graph,view,lsp", "--profile", "NAME", in_nem,
     "default: extensions are warnings; strict: they are errors;\n"
     "upstream: FAM-004 and SHP-004, which the format's own examples\nbreak, are warnings",
     "default strict upstream"},
    {"check,info,print,run,trace,graph,view,lsp", "--device", "NAME|FILE", in_nem,
     "Verify for this device: one that the program defines or includes, or\n"
     "that of a file (FILE:NAME if it defines several), whatever the program says"},
    {"check", "--devices", "FOLDER", in_nem,
     "Show which devices of the files in a folder can run the program, and\nwhat prevents the "
     "others"},
    {"lsp", "--devices", "FOLDER", in_nem,
     "Show which devices of the files in a folder can run a program, where its\nname is hovered "
     "over; "
     "include files from there, too"},
    {"lsp", "--stdio", "", in_nem, "The default; clients add it"},
    {"check,info,print,run,trace,graph,view", "--max-instances", "COUNT", in_nem,
     "The number of tasks and iterations up to which loops are checked one by one (2000000);\n"
     "larger loops are proven, or else checked in part"},
    {"check,info,print,run,trace,graph,view,lsp", "-I,--include", "FOLDER", in_nem,
     "Also look for included files in this folder"},
    {"check,info,print,run,trace,graph,view,lsp", "--allow-includes-anywhere", "", in_nem,
     "Allow included files outside the file's folder and those of -I"},
    {"check,info,print,run,graph,diff,view", "--registry", "FILE", in_genome,
     "The registry of streams (registry.json in the folder of FILE)"},
    {"check,info,print,import,view,genome mine,genome compress,genome expand,genome rules,"
     "genome profile,genome compare,genome tree,genome synthesize",
     "--program", "NAME", in_pt2, "Which program of the archive (model, or the only one)"},
    {"check", "--checksums", "", in_pt2,
     "Check the checksums of weights, too, which reads all of them"},
    {"print", "--modules", "", in_pt2, "Show the module of each node"},
    {"print", "--stack-traces", "", in_pt2, "Show the lines of Python that each node comes from"},
    {of_genomes, "--registry", "FILE", everywhere,
     "NAC v1.2: the registry of streams (registry.json in the folder of FILE)"},
    // convert, import, assemble, canonicalise, diff and fmt
    {"convert", "--to", "FORM", everywhere,
     "ALIR: json, bytecode, cpp or verilog (by the output's name, else\n"
     "unchanged), a version (else unchanged), or both; ARK and NAC: a dialect or\n"
     "a version (likewise)",
     "json bytecode cpp verilog v2 v3 v4 json-v2 json-v3 json-v4 bytecode-v2 bytecode-v3 "
     "bytecode-v4 d1a d1b d1c d2 d2x d3 d3x v1.6 v1.7 v1.8"},
    {"convert", "--name", "NAME", in_alir,
     "The namespace of C++ or the module of Verilog (the output's name)"},
    {"convert", "--test-bench", "FILE", in_alir,
     "The file for a self-checking test bench of the module"},
    {"convert", "--pretty", "", in_ark | in_nac,
     "ARK: write indented lines, as the format's own tool does (as the input is)"},
    {"convert", "--compact", "", in_ark | in_nac,
     "ARK: write without white space (as the input is)"},
    {"convert", "--weights-out", "FILE", in_nac,
     "The safetensors file that the weights are moved to"},
    {"convert", "--weights-in", "FILE", in_ark | in_nac,
     "The safetensors file whose weights are moved into the container"},
    {"convert", "--shape", "[NAME=]SHAPE", in_nac,
     "The shape and type of an input, for an ARK model: 1x64, or 1x16:i64"},
    {"convert", "--quantize", "METHOD", in_nac, "The method by which weights are quantized",
     methods},
    {"import", "--quantize", "METHOD", everywhere, "The method by which weights are quantized",
     methods},
    {"import", "--weights-out", "FILE", everywhere,
     "The safetensors file that the weights are moved to"},
    {"import", "--version", "VERSION", everywhere, "The container's version (1.8)", "1.6 1.7 1.8"},
    {"import", "--no-states", "", everywhere,
     "Let buffers that the program changes begin anew in every run"},
    {"import", "--tokenizer", "FILE", everywhere,
     "The tokenizer.json that the container gets its tokenizer from"},
    {"import", "--execution-plan", "FILE", everywhere,
     "The assembly text that the container gets its execution plan from"},
    {"optimize", "--shape", "[NAME=]SHAPE", in_nac,
     "The shape and type of an input: 1x3x224x224, or 1x16:i64"},
    {"optimize", "--text", "[NAME=]TEXT", in_nac,
     "Text for an input, encoded by the container's tokenizer"},
    {"optimize", "--weights", "FILE", in_nac,
     "The safetensors file with external weights (model.safetensors in the\nfolder of model.nac)"},
    {"lower", "--device!", "FILE", everywhere,
     "The file of the device (FILE:NAME if it defines several)"},
    {"lower", "--shape", "[NAME=]SHAPE", everywhere, "The shape of an input: 1x3x224x224"},
    {"lower", "--dtype", "TYPE", everywhere, "The type of all elements (f32)", "f32 f16 bf16 i8"},
    {"lower", "--calibrate", "[NAME=]FILE", everywhere,
     "A .npy file with values of an input, for --dtype i8: one or several along\n"
     "the first dimension. Random numbers without"},
    {"lower", "--check", "", everywhere,
     "Require that the program verifies, gives the same bytes under three\n"
     "schedules, and agrees with the network on random inputs; of i8, exactly\n"
     "with the quantized network"},
    {"lower", "--report", "", everywhere,
     "Print each step's tiles, cycles, use of units and bytes moved, and its bound:\n"
     "products at the device's peak, or each byte moved once, whichever takes longer"},
    {"lower", "--json", "", everywhere, "Print the report as one JSON object"},
    {"lower", "--effort", "N", everywhere,
     "How much is tried for each step: 0 tiles by a formula, 1 also the best ones of\n"
     "large steps in abstract time, 2 more of them and of all steps (1)",
     "", 0, 2},
    {"lower", "--no-optimize", "", everywhere, "Lower the container as it is, not `optimize`d"},
    {"lower", "--weights", "FILE", everywhere,
     "The safetensors file with external weights (model.safetensors in the\nfolder of model.nac)"},
    {"optimize", "--seed", "SEED", in_nac, "The seed of the program's random operations (0)"},
    {"optimize", "--passes", "LIST", everywhere,
     "The passes that run, with commas between them (all)"},
    {"optimize", "--explain", "", in_nac,
     "List each change: the instruction, what became of it, and the pass"},
    {"optimize", "--check", "", everywhere,
     "Run both programs on the same inputs; write nothing if they don't agree\n(ALIR: always)"},
    {"optimize", "--latency-cutoff", "LATENCY", in_alir,
     "Write a pipeline: stages of at most this latency, as few as that takes"},
    {"optimize", "--stages", "COUNT", in_alir,
     "Write a pipeline of so many stages (with the smallest latency cutoff)", "", 1, 4096},
    {"optimize", "--no-retiming", "", in_alir,
     "Leave each operation in the first stage that can hold it"},
    {"optimize", "--no-input-register", "", in_alir, "Pipelines without a register at the input"},
    {"optimize", "--no-output-register", "", in_alir, "Pipelines without a register at the output"},
    {"optimize", "--trust-intervals", "", in_alir,
     "Registers as wide as intervals claim, even where values may be outside"},
    {"optimize", "--max-growth", "BYTES", in_nac,
     "The bytes by which folding one result may enlarge the container (4096)"},
    {"convert", "--dequantize", "", in_nac, "Store quantized and 16-bit weights as float32"},
    {"convert", "--schedule", "", in_nac,
     "Replace the memory schedule: free results after their last use"},
    {"assemble", "--payloads", "FILE", everywhere,
     "The file that all payloads are read from, whatever file the text names"},
    {"assemble", "--allow-any-path", "", everywhere,
     "Permit payload files outside the text's folder"},
    {"canonicalise", "--compact", "", everywhere, "Write without white space"},
    {"diff", "--no-views", "", in_ark, "Ignore views, and edges, which may lead through views"},
    {"diff", "--no-weights", "", in_nac, "Ignore the elements of tensors"},
    {"diff", "-q,--quiet", "", everywhere, "Print nothing; report only by the exit status"},
    {"fmt", "--check", "", everywhere, "Change nothing; exit with 1 if a file isn't formatted"},
    {"fmt", "-w,--write", "", everywhere, "Format files in place"},
    // genome
    {of_networks, "--keep-going", "", in_networks,
     "Continue past invalid files; each is reported, and the exit\nstatus is 1"},
    {of_genes, "--connected", "", in_networks,
     "Find connected subgraphs, whatever the order of their nodes"},
    {of_genes, "--gapped", "N", in_networks, "Find subgraphs with gaps of up to N nodes", "", 1, 4},
    {of_genes, "--min-nodes", "N", in_networks, "The minimum number of nodes (8; subgraphs 3)", "",
     2, 255},
    {of_genes, "--max-nodes", "N", in_networks,
     "The maximum number of nodes (40; subgraphs 6, with gaps 4)", "", 2, 255},
    {of_genes, "--min-score", "N", in_networks,
     "Contiguous genes: the minimum frequency times length (100)"},
    {of_genes, "--min-models", "N", in_networks,
     "Subgraphs: the minimum number of models with a gene (2)", "", 0, most},
    {of_genes, "--max-genes", "N", in_networks,
     "The maximum number of genes (65526; subgraphs 1000)", "", 0, most},
    {"genome mine,genome compare,genome tree,genome compress,view", "--threads", "COUNT",
     in_networks, "The number of threads (0, one per processor)", "", 0, 1024},
    {"genome mine", "--alleles", "", everywhere,
     "Show groups of genes of the same shape with different operations"},
    {"genome mine", "--names", "FILE", everywhere,
     "The JSON file of names by canonical codes: {\"MLP\": [CODE, ...]}"},
    {"genome mine", "-o,--output", "FILE", everywhere,
     "The file for a registry of all inputs, with the genes as its patterns"},
    {"genome mine", "--signatures", "FILE", everywhere,
     "The file for all inputs compressed by these patterns, a JSON object of\nstreams by name"},
    {"genome mine", "--parameter-names", "", everywhere,
     "Keep the names of parameters in written streams, so that they can run"},
    {"genome mine", "--reorder", "", everywhere,
     "Write parameters between the nodes of a gene in front of it, so that it is\na pattern"},
    {of_streams, "-o,--output", "FILE", everywhere,
     "The file to write: .b64 is base64, .json an object of streams by\n"
     "name, others are bytes (base64 on standard output)"},
    {of_streams, "--output-registry", "FILE", everywhere,
     "The file for the registry; required if a model is converted"},
    {of_streams, "--result", "ID=NODE", everywhere,
     "The node of a pattern that its consumers use (the last)"},
    {"genome expand", "--keep-copies", "", everywhere, "Keep each COPY as one node"},
    {"genome rules", "-o,--output", "FILE", everywhere,
     "The file for a registry with the rules; - prints it instead of the table"},
    {"genome rules", "--min-probability", "P", everywhere,
     "Transitions: the probability that they must exceed (0.8)", "", 0, 1},
    {"genome rules", "--min-transitions", "N", everywhere,
     "Transitions: the number of edges that the source must exceed (5)"},
    {"genome rules", "--min-compositions", "N", everywhere,
     "Compositions: the count that they must exceed (20)"},
    {"genome rules", "--min-structures", "N", everywhere,
     "Structures: the count that they must exceed (10)"},
    {"genome profile", "--by-model", "", everywhere, "Show the counts of each model as well"},
    {"genome compare", "--csv", "", everywhere,
     "Print the distances as a matrix of comma-separated values"},
    {"genome tree", "--format", "FORMAT", everywhere,
     "The format of the tree (by the name of --output, or newick); clusters and\n"
     "json list the networks of each cluster",
     "newick dot svg clusters json"},
    {"genome tree", "--clusters", "N", everywhere,
     "Cut the tree into N clusters (as many as families)", "", 1, most},
    {"genome tree", "--families", "FILE", everywhere,
     "The JSON file of families by networks, {\"resnet18\": \"resnet\"}: how well\n"
     "the clusters agree with them is reported as their adjusted Rand index"},
    {of_distances, "--genes-only", "", in_networks, "Ignore single operations"},
    {of_distances, "--compositions", "", in_networks,
     "Count operations with their constants, too, as genes"},
    {of_distances, "--presence", "", in_networks,
     "Compare which genes models have, not how often, so that depth makes no\n"
     "difference"},
    {of_distances, "--sample", "N", in_networks,
     "The maximum number of models; a larger corpus is sampled (2000)", "", 2, 2000},
    {of_distances, "--seed", "S", in_networks, "The seed of the sample (1)"},
    {"genome synthesize", "FILE...", "", everywhere,
     "Networks whose rules are learned: NAC containers, PT2 archives, ARK models,\n"
     "v1.2 streams and signatures, or folders of them (the registry has the rules)"},
    {"genome synthesize", "--registry", "FILE", everywhere,
     "The registry with the rules; with FILE that of its streams"},
    {"genome synthesize", "--keep-going", "", everywhere,
     "Leave out inputs that can't be read, and report them"},
    {"genome synthesize", "--json", "", everywhere, "Print the networks as one JSON object"},
    {"genome synthesize", "-o,--output", "FILE", everywhere,
     "The file for the container, or the folder for several; - is standard output"},
    {"genome synthesize", "--signatures", "FILE", everywhere,
     "The file for the networks as v1.2 streams, a JSON object by name"},
    {"genome synthesize", "--output-registry", "FILE", everywhere,
     "The file for the registry of these streams"},
    {"genome synthesize", "--seed", "S", everywhere,
     "The seed: the same one gives the same networks (1)"},
    {"genome synthesize", "--count", "N", everywhere, "The number of networks (1)", "", 1, 100000},
    {"genome synthesize", "--shape", "SHAPE", everywhere,
     "The shape of the input, 1x3x32x32 (one that fits the first operation)"},
    {"genome synthesize", "--device", "FILE", everywhere,
     "A NEM device: only networks that `tessera lower` makes programs for it of"},
    {"genome synthesize", "--min-operations", "N", everywhere,
     "The minimum number of operations (8)", "", 1, 1000},
    {"genome synthesize", "--max-operations", "N", everywhere,
     "The maximum number of operations (40)", "", 1, 1000},
    {"genome synthesize", "--max-width", "N", everywhere,
     "The maximum number of outputs of a layer (64)", "", 1, 65536},
    {"genome synthesize", "--max-parameters", "N", everywhere,
     "The maximum number of elements of all weights (1048576)"},
    {"genome synthesize", "--max-macs", "N", everywhere,
     "The maximum number of multiply-accumulates of a run (268435456)"},
    {"genome synthesize", "--max-memory", "BYTES", everywhere,
     "The maximum peak memory of a run (268435456)"},
    {"genome transplant", "DONOR!", "", everywhere,
     "The container that has the weights; - is standard input"},
    {"genome transplant", "RECIPIENT!", "", everywhere,
     "The container that gets them; - is standard input"},
    {"genome transplant", "-o,--output", "FILE", everywhere,
     "The file for the recipient with the donor's weights; - is standard output"},
    {"genome transplant", "--dry-run", "", everywhere,
     "Show what would be moved, without writing a container"},
    {"genome transplant", "--fit", "LIST", everywhere,
     "Move weights of other shapes and types too, with commas between: slice\n"
     "takes the first part, pad adds zeros, interpolate scales linearly,\n"
     "convert rounds floats of another type"},
    {"genome transplant", "--map", "FILE", everywhere,
     "Move these parameters and no others: lines of the donor's name, a tab\n"
     "and the recipient's name"},
    {"genome transplant", "--save-map", "FILE", everywhere,
     "The file for the names of what was moved, for --map"},
    {"genome transplant", "--donor-weights", "FILE", everywhere,
     "External weights of the donor (DONOR.safetensors)"},
    {"genome transplant", "--weights", "FILE", everywhere,
     "External weights of the recipient (RECIPIENT.safetensors)"},
    {"genome transplant", "--json", "", everywhere, "Print what was moved as one JSON object"},
};

// ---- what help says before the examples

constexpr help_row note_rows[] = {
    {"", everywhere,
     R"(The format of a file is recognised by its content; .gz and .zst files are decompressed.
A file named - is standard input or output.)"},
    {"", everywhere,
     R"(`tessera VERB --help` describes a verb, `tessera VERB --help FORMAT` all its options for a format.)"},
    {"check", in_ark,
     R"(Each finding shows the id of its rule in brackets. Consecutive files that are the ranks of one
model are also checked against each other: transfers without a partner, deadlocks.)"},
    {"check", in_nac,
     R"(Everything that a run relies on is verified, except the elements of weights. A file may name
operations that aren't implemented here: it is valid, and they are listed.)"},
    {"check", in_nem,
     R"(178 rules, such as REG-003, are checked over every iteration of every loop. Both baseline devices
are built in: npm_baseline_1.0.nem and nem_baseline_1.0.nem. Loops beyond --max-instances are proven,
without being expanded, where their offsets are affine or periodic in the loop variables; others are
checked in part, which is said (HAZ-005). --json: checked {coverage (complete, proven or partial),
tasks, iterations, proven_tasks, proven_iterations}.)"},
    {"check", in_genome,
     R"(Registries, and streams with their registry. With --registry, a file of unknown format is read as
the bytes of a stream.)"},
    {"check", in_pt2,
     R"(Names, signature, shapes, payloads; checksums of JSON always. Pickles are never opened.)"},
    {"check", everywhere,
     R"(In a folder every file of Tessera's formats is checked, also in the folders below; others and hidden
ones are skipped, as is ALIR bytecode without a header unless its name ends in .bc, because it looks
like numbers. The last line counts them.)"},
    {"check", everywhere, R"(Only errors make a file invalid; warnings and notes don't.)"},
    {"info", in_ark,
     R"(Size, arithmetic and bytes moved per Type, memory, inputs, outputs, and transfers to other ranks.
Arithmetic counts each addition, product and so on: a Matmul has 2 M N K. Bytes moved are those of
all tensors read and written, as if there were no cache. Inputs are tensors that are read before
anything writes to them; outputs are written and never read.)"},
    {"info", in_nac,
     R"(Header, sections, counts, parameters, memory schedule, execution plan, tokenizer and resources.
Slack is the space after a section's last record. lifted#0 is an input without a name: a constant
that the compiler lifted and didn't store. If the shapes of the inputs are given, the program is run
on zeros to measure its peak memory, with and without the memory schedule.)"},
    {"info", in_nem,
     R"(Device, tasks by opcode, multiply-accumulates (MACs), bytes moved between memory levels, each
level's buffers and peak of live bytes, and the maximum number of live tokens. Loops count with all
their iterations.)"},
    {"info", in_genome, R"(The number of nodes, operations, patterns and so on.)"},
    {"info", in_pt2, R"(Inputs, outputs, operators, symbols, weights and constants of a program.)"},
    {"print", everywhere,
     R"(--json: one object whose member "format" names the format. Members are only added in later versions,
never renamed or removed. --help FORMAT lists them.)"},
    {"print", in_alir,
     R"(--json: spec_version, inputs, outputs [{operation, shift, negative}], operations [{index, opcode,
operands, data and shift or, of a sum, shifts and negative, type [k, i, f], min, max, step, latency,
cost}], tables [[integer]].)"},
    {"print", in_ark,
     R"(--json of a model: form "model", dialect, rank, world_size, buffers [{id, rank, local, send_tags,
recv_tags, external}], tensors [{id, data_type, buffer, shape, strides, offsets, padded_shape}], nodes
[{id, producers, consumers, operations [{type, name, virtual, reads, writes, results, arguments}]}];
of a plan: form "plan" and the members that the file has, in snake_case.)"},
    {"print", in_alir,
     R"(fixed<k,i,f> is a type with k sign, i integer and f fraction bits; `a << n` is a times 2^n.)"},
    {"print", in_ark, R"(Tensors and buffers are shown by their Ids.)"},
    {"print", in_nac,
     R"(--json: file, version, instructions and training [{index, offset, operation, signature, name,
arguments [{code, and one of result, id with type and value, id with parameter, state, number, absent,
missing}]}], schedule [{instruction, commands [{action, target}]}].)"},
    {"print", in_nem,
     R"(--json: format "nem-ast", version 1, nodes [{kind, range [offset, length], name, children, ...}], as in
tessera/nem/write.hpp. A change of these members would be version 2.)"},
    {"print", in_genome,
     R"(--json of streams: streams [{name, nodes [{a, name, b, c, d [input]}]}]; of a registry: the registry as
the format's own JSON.)"},
    {"print", in_nac,
     R"(The assembly, which `tessera assemble` turns into a container again. Payloads of more than 64
bytes are references to places in FILE; keep the text in the folder of the container.)"},
    {"print", in_nem,
     R"(Canonical text; with --json the syntax tree. The file's comments are left out (tessera fmt keeps
them); --comments adds new ones to a program without errors.)"},
    {"print", in_genome,
     R"(Nodes with their operations and constants; for a registry its patterns and rules.)"},
    {"print", in_pt2,
     R"(Types and shapes of every value; with --json the program as it is in the archive.)"},
    {"print", everywhere, R"(An invalid program is listed, too; the exit status is 1.)"},
    {"run", everywhere,
     R"(The name of a file gives its format: .npy, .csv, or else raw little-endian numbers; with .gz or .zst
at the end it is compressed. Standard input and output are CSV. Random numbers are the same on every
machine.)"},
    {"run", in_alir,
     R"(NAME is the number of an input or output. A file for one input replaces its column of the file for
all inputs. Raw files have doubles. Random samples are uniform in the interval of each input. Of a
pipeline, each row of the output belongs to the same row of the input, however many registers it has.)"},
    {"run", in_ark,
     R"(NAME is a tensor's Id (12, t12 or %12), a buffer's Id (b3 or @3), or the name of the operation
that makes a tensor; with several ranks it follows the rank (r0:t12). Files without a NAME are for
the inputs or outputs in the order of `tessera info`. A .npy file has the tensor's type (BF16 as
uint16) and Shape, where dimensions of 1 may be omitted; a .csv file has a line per row; a file for
a buffer has all its bytes. --weights sets the tensors whose operations have the names of its
tensors, for which no other file is given. Random elements are in [-1, 1) or small integers. Buffers are zero at
first. A plan runs as the model of its operations, in the order of its tasks.)"},
    {"run", in_nac,
     R"(NAME is the name or else the index of an input, as `tessera info` shows them; state:0 is a state. A
.npy file gives the shape and type; other files need --shape. An input with only --shape is zeros,
or random with --random. --text is encoded as int64 [1, n]. If the container has an execution plan,
that runs, unless inputs or outputs are given. It writes files only in --folder, and none that is
hidden, executable or a link.)"},
    {"run", in_nem,
     R"(NAME is a buffer, or a region that `let` names; an output may also be a region of a loop, as the
last iteration used it. Bytes without an input are zero; reading them causes a warning. -i NAME=zero
makes the zeros explicit, and -i NAME=random fills a buffer or region with random values (seed 0, or
--random); files of these names are ./zero and ./random. --random fills everything that is read
before it is written, with elements of the type that it is read as: floats in [-1, 1), integers of a
byte, valid indices. A .npy or .csv file has the elements of a region (.npy: BF16 as uint16, I4 as
int8), or of a buffer if the program reads or writes one type there; of other buffers it has the
bytes. A raw file has bytes, with two I4 in each. The summary shows the buffers written in DDR, or
else in L2 or L1. Verification refuses races; if it can't check all tasks, the run searches for
them.)"},
    {"run", in_genome,
     R"(NAME is the index of an input or the name of a parameter. Parameters come from tensors of the same
name in --weights, or from --input; files without a NAME are for the inputs.)"},
    {"lower", everywhere,
     R"(The program includes its device. Buffers in DDR hold the inputs and outputs, of --dtype, by the
inputs' names or input_0, output_0 and so on; `tessera run` takes the buffer `weights` from OUTPUT with
.weights in place of .nem, which is written too. Shapes are fixed. What a device or NEM can't
compute is an error that names the instruction, the device and the reason. --check tolerates
differences of 1e-5 (f32), 5e-3 (f16) or 4e-2 (bf16) of an output's largest magnitude.
--dtype i8 is for products, pools and operations on elements, by the ranges that runs of the network
find. Norms, softmax and others stay floats, as inputs and outputs do: f32 where the device can
quantize it, else f16. --check shows how far outputs are from the network's, and tolerates 0.5.
A step's cycles in the report are those after the step before it. What it loads while that one computes
belongs to it, so its bound and its use of units can be more than 100 %.)"},
    {"trace", everywhere, R"(The output opens in https://ui.perfetto.dev or chrome://tracing.)"},
    {"trace", in_ark,
     R"(Of a plan, which isn't run: when its tiles start and on which warps, by arithmetic and by bytes that
are moved. A unit that waits for others says for which. Ranks don't wait for each other.)"},
    {"trace", in_nac,
     R"(One track has the instructions, another what the memory coprocessor frees, forwards and loads; a
counter shows the bytes of all live values.)"},
    {"trace", in_nem,
     R"(Time is abstract; a cycle is shown as a microsecond. Engines are processes and their units threads;
counters show the live bytes of each memory and the live tokens. Buffers are zero unless inputs are
given, because the time of a task depends only on its shapes. A report of units, stalls and memories
goes to standard error.)"},
    {"convert", in_alir,
     R"(An output that ends in .json is JSON, as the format's own tools write it; one that ends in .bc is
bytecode. The version stays the same unless --to gives another; what that one lacks is rewritten as
operations that compute the same values, or refused. Bytecode holds no latencies, costs or intervals;
JSON made from it has 0.0, 0.0 and each type's full interval.)"},
    {"convert", in_ark,
     R"(Models keep their dialect unless --to names another. Nodes of dialects before d3 have several
operations; d3 has a node for each. Plans have only one form, so they are only formatted.

An output that ends in .nac, or --to v1.8, is the NAC container of a rank that doesn't communicate.
Tensors that are read before anything is written to them are its inputs, or its parameters where
--weights-in has their names. What NAC can't express is refused with its node and tensor.)"},
    {"convert", in_nac,
     R"(Sections are written in canonical order, without slack. The container must pass `tessera check`.
Weights are streamed, so the container may be larger than memory.

An output that ends in .json, or --to d3, is an ARK model, whose shapes are fixed: give --shape for each
input. Operations that ARK lacks are composed of others; constants are computed. ARK's files hold no
values, so weights become inputs of their names: --weights-out writes them, and `run --weights` reads
them. What ARK can't express is refused with its instruction.)"},
    {"convert", in_pt2,
     R"(The archive as PyTorch lays it out; one of PyTorch 2.5 to 2.8 in the form of 2.9, which later versions
load. All checksums are checked; sample inputs stay as they are.)"},
    {"convert", everywhere,
     R"(An output that ends in .gz or .zst is compressed, except PT2 archives.)"},
    {"import", everywhere,
     R"(Each node becomes an instruction of the same name; in-place operations and views keep theirs. Weights
are streamed, and tied ones stored once. Buffers that the program changes are states, which begin with
the archive's values and last from run to run. What NAC can't express is refused with its node, its
module and its line of Python: loops of an unknown number of steps. Complex numbers are pairs of real
ones in a last dimension of two. Archives are those of torch.export.save, PyTorch 2.5 and later, before
or after run_decompositions().
A tokenizer is one of Hugging Face: WordPiece, BPE or Unigram. Its ids stay the same, special tokens
included; what NAC can't express is refused with its place in the JSON. An execution plan is the
sections plan_constants: and plan: of a text as `tessera assemble` takes it, and is verified.)"},
    {"optimize", in_alir,
     "Passes, which run in this order until none changes anything:\n\n"
#define TESSERA_X(enumerator, name, summary) "  " name ": " summary "\n"
     TESSERA_ALIR_OPTIMIZER_PASSES(TESSERA_X)
#undef TESSERA_X
         R"(
Outputs are the same for all inputs, bit for bit, for nothing is concluded from an interval. Lookups
that may leave their table stay. Sums need version 3 or 4. Both programs are run on corners and random
samples, and nothing is written if they don't agree.

--latency-cutoff and --stages make a pipeline of it: an ALIRFSM file of alkaid 0.8, of version 2 an array
of blocks of alkaid 0.7. An operation's latency is that of its row, less the largest of its operands'; the
latency of a stage is that of its slowest path. Retiming finds the stages with the fewest bits in registers;
additions become sums in stages that this makes no slower. Registers of values that aren't proven to keep to their interval are as
wide as the values may be; --trust-intervals makes those narrower, and values outside wrap around.)"},
    {"optimize", in_nac,
     "Passes, which run in this order until none changes anything:\n\n"
#define TESSERA_X(enumerator, name, summary) "  " name ": " summary "\n"
     TESSERA_OPTIMIZER_PASSES(TESSERA_X)
#undef TESSERA_X
         R"(
A rule applies where the container proves its conditions, for inputs of any type and shape; only that
images have a batch dimension is assumed. Outputs are the same, but for batch-norm's rounding and the
sign of zeros that 0 was added to. Inputs, states, random operations, names, the execution plan and all
else stay. If the shapes of the inputs are given, both containers are run on them, and their peak
memory is shown. --check compares the outputs: floats up to the rounding of their type, everything else
exactly.)"},
    {"assemble", everywhere,
     R"(Only `code:` is required; tables that it refers to are added. Four lines are a program:

  code:
    x = input
    y = nac.add(x, 1.5)
    output(y)

Payloads are hex digits, or references to files in the text's folder: the output of `tessera print`,
edited or not, can be assembled in the folder of its container.
The container is verified before it is written.)"},
    {"canonicalise", everywhere,
     R"(The format's own serializer numbers tensors and buffers along with everything else that its process
created and orders edges by address, so two runs write different text. Here Ids count from 0 in the
order of their first use, and edges and tags are sorted; operations, names and the dialect don't
change.
Models that differ in nothing else become identical, byte for byte.)"},
    {"diff", in_ark,
     R"(Operations are matched by what they compute and what flows into and out of them. Ids, names, the
order of edges and of independent operations, and the dialect make no difference. A line begins with
+ for an added operation, - for a removed one, and ~ for a changed one, whose differences follow.)"},
    {"diff", in_nac,
     R"(Instructions are matched by what they compute. The ids of operations, signatures, constants and
parameters, prefixes, slack and the order of sections make no difference; the header, the memory
schedule, the execution plan, the tokenizer, resources and each tensor do.)"},
    {"diff", in_nem,
     R"(Statements are compared in order, whatever their comments and layout. One that declares the same
name in the same place is changed, and its lines that differ follow.)"},
    {"diff", in_genome,
     R"(Streams are compared node by node, in order, with the nodes of their patterns: by what their ids mean,
so that registries, patterns and copies make no difference. Of signatures each stream is compared with
the one of its name.)"},
    {"graph", in_ark,
     R"(A box is an operation, an ellipse an input or output of the model. Solid arrows are the edges of the
file; dotted ones show accesses to the same memory that are ordered only by their place in the file;
dashed ones connect a send to its receive on another rank.)"},
    {"graph", in_nac,
     R"(A box is an instruction with its constants, an ellipse an input, a parameter or the output; red ones
refer to something that doesn't exist. Numbers at arrows are argument indices. With --shape, --input or
--text for all inputs the program is run, and boxes show the type and shape of their result.)"},
    {"graph", in_nem,
     R"(A box is a task, coloured by the unit that executes it, a frame is a loop. Solid arrows are deps,
dashed ones the order that a wait imposes.)"},
    {"graph", in_genome,
     R"(A box is an operation with its constants, a purple one a pattern with the operations in it; with
--expand they are drawn instead. An ellipse is an input, a parameter or the output; a frame is a block of
an IF or WHILE.)"},
    {"view", everywhere,
     R"(The page is one file, works without a network and has no weights, only what they are like. Drag to
move and turn the wheel to zoom; a click shows what there is to know of a node, with ways to its line and
its time; a double click unfolds a block. "Side by side" shows all views, and what the pointer is on is
marked in each. Keys: / search, n and p next and previous, arrows, + - 0, s side by side, Tab, Enter.
Of a corpus (a folder, v1.2 streams, three or more containers) the page has the family tree, the genes,
and the graphs with the genes in them.)"},
    {"view", in_nac,
     R"(Blocks are the modules that parameters are named after, or what repeats. With --shape, --input or
--text for all inputs the program is run: the page shows shapes, and a timeline.)"},
    {"view", in_nem,
     R"(The timeline is that of `tessera trace` on zeros. A program with errors has a page, too, with its
text and findings; the exit status is 1. Of two programs the text is in canonical layout.)"},
    {"view", in_ark,
     R"(Two models or plans of the same Rank are compared; others are ranks. The timeline of plans is that of
`tessera trace`.)"},
    {"fmt", everywhere,
     R"(One statement per line, two spaces of indentation per loop, attributes in the order of the opcode's
signature. `tessera print` prints the same layout without comments. Without --write the text goes to
standard output. The meaning of a program never changes.)"},
    {"lsp", everywhere,
     R"(A server of the Language Server Protocol on standard input and output: findings as you type,
hover, definition, references, completion, symbols, formatting, quick fixes, inlay hints and semantic
tokens. Editors start it.)"},
    {"lsp", everywhere,
     R"(Neovim 0.7 or later: copy what is in cmake/editors/vim to ~/.config/nvim, and write in init.lua
  require('nem_lsp').setup()
or, for a device,
  require('nem_lsp').setup({ cmd = { 'tessera', 'lsp', '--device', 'npu.nem:npu_c2' } })
VS Code: copy cmake/editors/vscode to ~/.vscode/extensions/nem and run `npm install` there; the settings
nem.server.path and nem.server.arguments say how the server is started.)"},
    {"lsp", everywhere,
     R"(Options may come from initializationOptions instead: device, devices, profile, include (a list) and
allowIncludesAnywhere. Included files are looked for beside the file that names them, in the folders
of -I, in the workspace and in FOLDER; what the editor has open comes before what is on the disk.)"},
    {"tokens", everywhere,
     R"(A line for each text: its ids with spaces between. Ids that no token has are left out of texts.)"},
    {"genome", everywhere,
     R"(A network is a sequence of operations, as a genome is a sequence of letters; pieces that recur are
its genes. They compress networks (NAC v1.2: streams of nodes, a registry of patterns), and show what
architectures consist of and how closely related they are.)"},
    {"genome", everywhere,
     R"(FILE is a NAC container, a PT2 archive, an ARK model, a stream of v1.2 (.b64 or bytes), a JSON
object of streams by name (compressed_signatures.json), or a folder of such files, of one kind or
mixed. Streams need their registry: --registry, or registry.json in the folder of FILE. `tessera
check`, `info`, `print` and `run` also take streams, the first three also registries.)"},
    {"genome mine", everywhere,
     R"(A gene is a piece that recurs: by default a run of consecutive nodes that are equal down to the last
constant; with --connected a connected subgraph of operations; with --gapped one with other nodes in
between. Runs with the largest product of frequency and length are chosen first.)"},
    {"genome compress", everywhere,
     R"(Nodes that match a pattern of the registry become one node, left to right, the longest pattern first;
runs of equal nodes without inputs become a COPY. What the inputs need joins the registry, as do patterns
of one node for what takes inner results of others. Several inputs make one JSON object of streams by name.)"},
    {"genome expand", everywhere,
     R"(Each pattern becomes the nodes that the registry has for it, and each COPY as many nodes as its
count, so the network is one flat graph, as before it was compressed. Containers and models are
converted and have no patterns. Several inputs make one JSON object of streams by name.)"},
    {"genome rules", everywhere,
     R"(A grammar of architectures. Transitions: an operation follows another with some probability.
Compositions: an operation with certain inputs and constants. Structures: an operation that joins
the results of certain others. Streams count as they are: a pattern is one node.)"},
    {"genome profile", everywhere,
     R"(How often each operation is used, by how many models, and its highest count in any one model: the
demand on a chip, a compiler or a runtime. The nodes of patterns are counted one by one, so that
networks can be compared whether or not they are compressed.)"},
    {"genome compare", everywhere,
     R"(Networks that are built from the same genes are related. The distance of two networks is 0 if they
have the same genes equally often, and 1 if they have none in common; an operation is a gene of one
node. The table shows up to 12 models; for more it lists the nearest neighbours of each.)"},
    {"genome tree", everywhere,
     R"(The two networks with the nearest genes become neighbours, then the next two, until one tree is left
(neighbour joining): architectures that were derived from each other share a branch, whose length
shows how much changed. Of more than 2,000 models a sample is drawn, and a note reports it.)"},
    {"genome synthesize", everywhere,
     R"(Operations are drawn one after another by the rules' counts: what follows the last one, with which
constants, and which results it joins. Shapes are inferred by running each one; where it doesn't run,
its constants are repaired, or a missing branch is grown, or another operation is drawn. Weights are
random. All networks run, and none is the same as another one or as those that the rules come from.
FILE gives the networks of one family: their rules are learned without thresholds, and the report
says how near each network is to them. Patterns aren't drawn: use flat streams.)"},
    {"genome transplant", everywhere,
     R"(Blocks are what lies between two results that everything passes on its way from the inputs to the
outputs, as a residual block does. Blocks of the same operations, connected alike, are matched in
their order, whatever their names; what lies between is matched by operations. The recipient keeps
weights without a counterpart, or of another type or shape unless --fit says how to move them.)"},
};

constexpr help_row example_rows[] = {
    {"", in_nac, "tessera info model.nac"},
    {"", in_alir, "tessera check model.json.gz"},
    {"", in_alir, "tessera print model.json | less"},
    {"", in_alir, "tessera run model.json.gz --input x.csv > y.csv"},
    {"", in_nac, "tessera run model.nac --shape 1x3x224x224 --random 1"},
    {"", in_alir, "tessera convert model.json --output model.bc"},
    {"", in_pt2, "tessera import model.pt2 -o model.nac"},
    {"", in_nac, "tessera optimize model.nac -o fast.nac"},
    {"", in_ark, "tessera diff before.json after.json"},
    {"", in_ark, "tessera graph --fold ark.json -o ark.svg"},
    {"", in_nac, "tessera assemble patched.txt patched.nac"},
    {"", in_nem, "tessera fmt --check kernels/*.nem"},
    {"", in_genome, "tessera genome tree models/ -o family.svg"},
    {"info", in_alir, "tessera info model.json.gz"},
    {"info", everywhere, "tessera info --json models/*.json | jq .operations"},
    {"info", in_pt2, "tessera info model.pt2 --program main"},
    {"info", in_nac, "tessera info model.nac --quantization-error int8_channel"},
    {"info", in_nac, "tessera info model.nac --shape 1x3x224x224"},
    {"check", everywhere, "tessera check *.json"},
    {"check", everywhere, "tessera check models/ --format sarif > findings.sarif"},
    {"check", everywhere, "zcat model.json.gz | tessera check - --json"},
    {"check", in_ark, "tessera check model_gpu?.json --ranks"},
    {"check", in_ark, "tessera check plan.json --model model.json"},
    {"check", in_nac, "tessera check model.nac --weights elsewhere.safetensors --strict"},
    {"check", in_nem, "tessera check tiles.nem --device npm_lite -I devices"},
    {"check", in_nem, "tessera check tiles.nem --svg races.svg"},
    {"check", in_pt2, "tessera check model.pt2 --checksums"},
    {"check", in_genome, "tessera check registry.json compressed_signatures.json"},
    {"print", in_alir, "tessera print model.json.gz | less"},
    {"print", in_alir, "tessera print model.bc --json | jq '.operations[].opcode'"},
    {"print", in_ark, "tessera print ark.json --json | jq '.nodes[].operations[].type'"},
    {"print", in_nac, "tessera print model.nac --schedule | less"},
    {"print", in_nac, "tessera print model.nac --json | jq '.instructions[].operation'"},
    {"print", in_nem, "tessera print tiles.nem --comments | less"},
    {"print", in_nem, "tessera print tiles.nem --ast | less"},
    {"print", in_pt2, "tessera print model.pt2 --modules | less"},
    {"print", in_genome, "tessera print resnet.b64 --registry registry.json | less"},
    {"run", in_alir, "tessera run model.json.gz --input x.csv"},
    {"run", in_alir, "tessera run model.json --input x.npy --output y.npy"},
    {"run", in_alir, "tessera run model.json -i 0=a.csv -i 1=b.csv -o 3=third.csv"},
    {"run", in_alir, "tessera run model.bc --random 1 --samples 1000 --json -o y.f64"},
    {"run", in_alir, "generate | tessera run model.json --input - | plot"},
    {"run", in_ark, "tessera run ark.json --random 1 -i t0=x.npy -o matmul=y.npy"},
    {"run", in_ark, "tessera run rank0.json rank1.json --random 1 -o r1:t12=-"},
    {"run", in_ark, "tessera run plan.json --random 1 --model model.json"},
    {"run", in_ark, "tessera run ark.json --weights w.safetensors -i x=x.npy"},
    {"run", in_nac, "tessera run resnet.nac --shape 1x3x224x224 --random 1 --json"},
    {"run", in_nac,
     "tessera run bert.nac --text input_ids='a text' -i attention_mask=ones.npy -o 0=y.npy"},
    {"run", in_nac, "tessera run classifier.nac --answer cat.png"},
    {"run", in_nem, "tessera run gemm.nem -i inputs=x.npy -i weights=w.bin -o y=y.npy"},
    {"run", in_nem, "tessera run gemm.nem --random 1 --schedule random:7 --json"},
    {"run", in_nem, "tessera run gemm.nem --random 1 --step"},
    {"run", in_nem, "tessera run racy.nem --allow-races --schedule reverse -o outputs=-"},
    {"run", in_genome,
     "tessera run head.b64 --registry registry.json --weights model.safetensors -i x.npy"},
    {"trace", in_ark, "tessera trace model.plan.json -o trace.json"},
    {"trace", in_nac, "tessera trace model.nac --shape 1x3x224x224 -o trace.json"},
    {"trace", in_nac,
     "tessera trace model.nac --shape 1x16:i64 --schedule none | gzip > trace.json.gz"},
    {"trace", in_nem, "tessera trace gemm.nem -o trace.json --report -"},
    {"trace", in_nem, "tessera trace gemm.nem --device small --timing bandwidth=64 --json"},
    {"convert", in_alir, "tessera convert model.json model.v2.json.gz --to v2"},
    {"convert", in_alir, "tessera convert model.json --output model.bc"},
    {"convert", in_alir, "tessera convert model.bc --to json --output - | jq .model[5][0]"},
    {"convert", in_alir, "tessera convert pipeline.json -o top.v --test-bench top_tb.v"},
    {"convert", in_ark, "tessera convert ark.d1b.json ark.json --to d3"},
    {"convert", in_ark, "tessera convert ark.json - --to d2 --compact"},
    {"convert", in_ark, "tessera convert ark.json ark.nac --weights-in w.safetensors"},
    {"import", everywhere,
     "tessera import model.pt2 -o model.nac && tessera run model.nac -i x.npy"},
    {"import", everywhere, "tessera import model.pt2 small.nac --quantize int8_channel"},
    {"import", everywhere, "tessera import bert.pt2 bert.nac --tokenizer tokenizer.json"},
    {"optimize", in_alir, "tessera optimize model.json.gz -o fast.json.gz"},
    {"optimize", in_alir, "tessera optimize model.json --latency-cutoff 3 -o pipeline.json"},
    {"optimize", in_nac, "tessera optimize model.nac -o fast.nac"},
    {"optimize", in_nac,
     "tessera optimize model.nac fast.nac --check --shape 1x3x224x224 --random 1"},
    {"optimize", in_nac, "tessera optimize model.nac out.nac --passes dead-code,common --explain"},
    {"convert", in_nac, "tessera convert model.nac small.nac --quantize int8_channel"},
    {"convert", in_nac, "tessera convert model.nac slim.nac --weights-out slim.safetensors"},
    {"convert", in_nac,
     "tessera convert mlp.nac ark.json --shape 1x64 --weights-out w.safetensors"},
    {"convert", in_pt2, "tessera convert model.pt2 rewritten.pt2"},
    {"convert", in_nac, "tessera convert old.nac new.nac --to v1.8"},
    {"lower", everywhere,
     "tessera lower model.nac --device device.nem --shape 1x3x224x224 -o model.nem --check"},
    {"lower", everywhere,
     "tessera lower model.nac --device device.nem --shape 1x3x224x224 --dtype i8 --calibrate "
     "images.npy -o model.nem"},
    {"assemble", everywhere, "tessera assemble program.txt program.nac"},
    {"assemble", everywhere,
     "tessera print model.nac > model.txt && tessera assemble model.txt -o patched.nac"},
    {"assemble", everywhere,
     "tessera print m.nac | sed 's/1.5/2.5/' | tessera assemble - n.nac --payloads m.nac"},
    {"canonicalise", everywhere, "tessera canonicalise model.json canonical.json"},
    {"canonicalise", everywhere, "tessera canonicalise model.json | sha256sum"},
    {"canonicalise", everywhere, "tessera canonicalise model.json.gz --compact -o model.min.json"},
    {"diff", in_ark, "tessera diff before.json after.json"},
    {"diff", in_ark, "tessera diff model.full.json model.json --no-views"},
    {"diff", everywhere, "tessera diff old.json new.json --json | jq '.operations[].kind'"},
    {"diff", in_nac, "tessera diff model.nac patched.nac --no-weights"},
    {"diff", in_nem, "tessera diff tiles.nem faster.nem"},
    {"diff", everywhere, "tessera diff model_gpu0.json model_gpu1.json --quiet && echo identical"},
    {"graph", in_ark, "tessera graph --fold model.json -o model.svg"},
    {"graph", in_ark, "tessera graph rank0.json rank1.json | dot -Tpng > ranks.png"},
    {"graph", in_nac, "tessera graph --schedule model.nac -o model.dot"},
    {"graph", in_nac, "tessera graph --fold resnet.nac --shape 1x3x224x224 -o resnet.svg"},
    {"graph", in_nem, "tessera graph tiles.nem -o tiles.svg"},
    {"graph", in_genome, "tessera graph resnet.b64 --registry registry.json -o resnet.svg"},
    {"diff", in_genome,
     "tessera diff old/compressed_signatures.json new/compressed_signatures.json"},
    {"fmt", everywhere, "tessera fmt tiles.nem"},
    {"fmt", everywhere, "tessera fmt --write kernels/*.nem"},
    {"fmt", everywhere, "tessera fmt --check kernels/*.nem"},
    {"lsp", everywhere, "tessera lsp --device devices/npu.nem:npu_c2 -I lib"},
    {"tokens", everywhere, "tessera tokens bert.nac 'A text.'"},
    {"tokens", everywhere, "tessera tokens bert.nac --json < lines.txt | jq .tokens"},
    {"tokens", everywhere, "tessera tokens bert.nac --decode 101 7592 102"},
    {"completion", everywhere,
     "tessera completion bash > ~/.local/share/bash-completion/completions/tessera"},
    {"completion", everywhere, "tessera completion fish > ~/.config/fish/completions/tessera.fish"},
    {"man", everywhere, "tessera man | man -l -"},
    {"man", everywhere, "tessera man > /usr/local/share/man/man1/tessera.1"},
    {"help", everywhere, "tessera help run"},
    {"help", everywhere, "tessera help run nac"},
    {"genome", everywhere, "tessera genome mine models/ -o registry.json"},
    {"genome", everywhere,
     "tessera genome compress resnet.b64 --registry registry.json -o small.b64"},
    {"genome", everywhere, "tessera genome profile models/ --json"},
    {"genome", everywhere, "tessera genome tree models/ -o family.svg"},
    {"genome mine", everywhere, "tessera genome mine models/"},
    {"genome mine", everywhere,
     "tessera genome mine models/ -o registry.json --signatures compressed_signatures.json"},
    {"genome mine", everywhere, "tessera genome mine *.nac --connected --alleles"},
    {"genome mine", everywhere,
     "tessera genome mine ark/*.json --gapped 2 --min-models 5 --json | jq ."},
    {"genome compress", everywhere, "tessera genome compress flat.b64 --registry registry.json"},
    {"genome compress", everywhere,
     "tessera genome compress resnet.nac --registry genes.json \\\n"
     "      -o resnet.b64 --output-registry registry.json"},
    {"genome compress", everywhere,
     "tessera genome compress models/ --registry genes.json \\\n"
     "      -o compressed_signatures.json --output-registry registry.json"},
    {"genome expand", everywhere, "tessera genome expand resnet.b64 --registry registry.json"},
    {"genome expand", everywhere, "tessera genome expand compressed_signatures.json -o flat.json"},
    {"genome expand", everywhere,
     "tessera genome expand resnet.nac -o resnet.b64 --output-registry registry.json"},
    {"genome rules", everywhere, "tessera genome rules compressed_signatures.json"},
    {"genome rules", everywhere, "tessera genome rules models/ -o registry.json"},
    {"genome rules", everywhere,
     "tessera genome rules models/ --min-probability 0.95 --json | jq ."},
    {"genome profile", everywhere, "tessera genome profile models/"},
    {"genome profile", everywhere, "tessera genome profile compressed_signatures.json --by-model"},
    {"genome profile", everywhere, "tessera genome profile *.nac --json | jq ."},
    {"genome compare", everywhere, "tessera genome compare models/"},
    {"genome compare", everywhere,
     "tessera genome compare a.nac b.nac c.nac --csv -o distances.csv"},
    {"genome compare", everywhere,
     "tessera genome compare models/ --connected --json | jq .distances"},
    {"genome tree", everywhere, "tessera genome tree models/ -o family.svg"},
    {"genome tree", everywhere,
     "tessera genome tree models/ --families families.json --format clusters"},
    {"genome tree", everywhere,
     "tessera genome tree models/ --format dot | neato -Tpng > family.png"},
    {"genome tree", everywhere,
     "tessera genome tree corpus/ --sample 500 --seed 7 > family.newick"},
    {"genome synthesize", everywhere,
     "tessera genome synthesize --registry registry.json --seed 7 -o new.nac"},
    {"genome synthesize", everywhere,
     "tessera genome synthesize resnets/ --count 100 --shape 1x3x32x32 -o new/"},
    {"genome synthesize", everywhere,
     "tessera genome synthesize models/ --count 1000 -o new/ \\\n"
     "      --signatures new.json --output-registry registry.json"},
    {"genome transplant", everywhere,
     "tessera genome transplant teacher.nac student.nac -o warm.nac"},
    {"genome transplant", everywhere,
     "tessera genome transplant resnet34.nac resnet18.nac --dry-run --save-map pairs.tsv"},
    {"genome transplant", everywhere,
     "tessera genome transplant small.nac large.nac --fit pad --map pairs.tsv -o large2.nac"},
};

}  // namespace

std::span<const verb_row> verb_table() noexcept { return verb_rows; }
std::span<const option_row> option_table() noexcept { return option_rows; }
std::span<const help_row> note_table() noexcept { return note_rows; }
std::span<const help_row> example_table() noexcept { return example_rows; }

std::string names_of(unsigned families) {
  std::vector<std::string_view> names;
  for (const family_row& f : family_table)
    if ((families & f.which) != 0) names.push_back(f.name);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out.append(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ").append(names[i]);
  return out;
}

bool option_row::is_of(std::string_view verb) const noexcept {
  for (std::string_view left = verbs; !left.empty();) {
    const std::string_view one = left.substr(0, left.find(','));
    if (one == verb) return true;
    left.remove_prefix(std::min(one.size() + 1, left.size()));
  }
  return false;
}

std::string_view option_row::name() const noexcept {
  std::string_view all = names;
  if (is_required()) all.remove_suffix(1);
  if (is_positional()) return all.substr(0, all.find("..."));
  all.remove_prefix(all.find("--"));
  return all.substr(0, all.find(','));
}

std::string_view option_row::short_name() const noexcept {
  return names.size() > 2 && names[0] == '-' && names[1] != '-' ? names.substr(0, 2)
                                                                : std::string_view();
}

const verb_row* find_verb(std::string_view name) noexcept {
  const verb_row* const at = std::find_if(std::begin(verb_rows), std::end(verb_rows),
                                          [name](const verb_row& v) { return v.name == name; });
  return at == std::end(verb_rows) ? nullptr : at;
}

std::vector<const verb_row*> verbs_below(std::string_view name) {
  std::vector<const verb_row*> out;
  for (const verb_row& v : verb_rows) {
    const std::size_t space = v.name.rfind(' ');
    if (!v.name.empty() && v.name.substr(0, space == v.name.npos ? 0 : space) == name)
      out.push_back(&v);
  }
  return out;
}

std::vector<const option_row*> options_of(std::string_view verb) {
  std::vector<const option_row*> out;
  for (const option_row& o : option_rows)
    if (o.is_of(verb)) out.push_back(&o);
  return out;
}

const option_row* find_option(std::string_view verb, std::string_view name) noexcept {
  for (const option_row& o : option_rows)
    if (o.name() == name && o.is_of(verb)) return &o;
  return nullptr;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
