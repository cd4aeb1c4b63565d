// ONNX Runtime (npm onnxruntime-node, CPU provider) as a side of the comparison; the protocol is that of worker.py.
//   node ort_worker.cjs --graphs DIR [--outputs DIR]
// ORT_PACKAGE names the folder that holds node_modules; ORT_THREADS the threads of an operator (2).
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');

const ort = require(path.join(process.env.ORT_PACKAGE || process.cwd(), 'node_modules/onnxruntime-node'));
const option = name => process.argv[process.argv.indexOf(name) + 1];
const graphs = option('--graphs');
const outputs = process.argv.includes('--outputs') ? option('--outputs') : null;
const LAYERS = 6, HEADS = 8, HEAD_WIDTH = 64, START = 1n;

const session = file => ort.InferenceSession.create(path.join(graphs, file), {
  intraOpNumThreads: Number(process.env.ORT_THREADS || 2),
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
  executionMode: 'sequential',
  enableCpuMemArena: true,
  enableMemPattern: true,
  logSeverityLevel: 3,
});

function idTensors(name) {
  const ids = JSON.parse(fs.readFileSync(path.join(graphs, `${name}.ids.json`), 'utf8'));
  const tensor = rows =>
    new ort.Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0].length]);
  return Object.fromEntries(Object.entries(ids).map(([key, rows]) => [key, tensor(rows)]));
}

async function forward(variant, name) {
  const graph = await session(`${name}.${variant}.onnx`), ids = idTensors(name);
  return async () => (await graph.run(ids, ['out'])).out;
}

// Greedy, with cached keys and values: what a step gives goes into the next one as it is.
async function greedy(name, tokens = 64) {
  const encoder = await session(`${name}.encoder.onnx`), step = await session(`${name}.step.onnx`);
  const { src } = idTensors(name);
  return async () => {
    const cross = await encoder.run({ src }), past = {}, written = [];
    for (let i = 0; i < LAYERS; i++)
      for (const part of ['k', 'v'])
        past[`past_${part}${i}`] = new ort.Tensor('float32', new Float32Array(0), [1, HEADS, 0, HEAD_WIDTH]);
    let last = START;
    for (let t = 0; t < tokens; t++) {
      const tgt = new ort.Tensor('int64', BigInt64Array.of(last), [1, 1]);
      const position = new ort.Tensor('int64', BigInt64Array.of(BigInt(t)), [1]);
      const found = await step.run({ ...cross, ...past, tgt, position });
      last = found.next.data[0];
      written.push(Number(last));
      for (let i = 0; i < LAYERS; i++)
        for (const part of ['k', 'v']) past[`past_${part}${i}`] = found[`present_${part}${i}`];
    }
    return { data: Float32Array.from(written), dims: [tokens] };
  };
}

// The same of a decoder alone, after a prompt that is read in one pass.
async function write(variant, name, tokens = 64) {
  const prompt = await session(`${name}.prompt.onnx`), step = await session(`${name}.step.${variant}.onnx`);
  const { tgt: ids } = idTensors(name), begun = ids.dims[1];
  const int32 = (numbers, dims) => new ort.Tensor('int32', Int32Array.from(numbers), dims);
  return async () => {
    let found = await prompt.run({ tgt: ids });
    const written = [found.next.data[0]];
    for (let t = begun; t < begun + tokens - 1; t++) {
      const inputs = {
        tgt: new ort.Tensor('int64', BigInt64Array.of(written[written.length - 1]), [1, 1]),
        position: new ort.Tensor('int64', BigInt64Array.of(BigInt(t)), [1]),
      };
      if (variant === 'group_query') Object.assign(inputs, { last: int32([t], [1]), total: int32([t + 1], []) });
      for (let i = 0; i < LAYERS; i++)
        for (const part of ['k', 'v']) inputs[`past_${part}${i}`] = found[`present_${part}${i}`];
      found = await step.run(inputs);
      written.push(found.next.data[0]);
    }
    return { data: Float32Array.from(written, Number), dims: [tokens] };
  };
}

const make = (variant, name) =>
  name[0] === 'D' ? greedy(name) : name[0] === 'G' ? write(variant, name) : forward(variant, name);

function saveNpy(file, { data, dims }) {
  const shape = dims.join(', ') + (dims.length === 1 ? ',' : '');
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`.padEnd(117) + '\n';
  const magic = Buffer.concat([Buffer.from([0x93]), Buffer.from('NUMPY'), Buffer.from([1, 0, header.length, 0])]);
  const numbers = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  fs.writeFileSync(file, Buffer.concat([magic, Buffer.from(header), numbers]));
}

function checkOf(data) {
  let sum = 0;
  for (const x of data) sum += Math.abs(x);
  return [data[0], data[data.length >> 1], data[data.length - 1], sum / data.length];
}

(async () => {
  const works = {};
  console.log('READY');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [variant, name, repetitions] = line.trim().split(/\s+/), key = `${variant}.${name}`;
    if (!variant) continue;
    try {
      const isFirst = !works[key], ms = [];
      if (isFirst) works[key] = await make(variant, name);
      let output;
      for (let i = 0; i < Number(repetitions); i++) {
        const start = process.hrtime.bigint();
        output = await works[key]();
        ms.push(Number(process.hrtime.bigint() - start) / 1e6);
      }
      if (isFirst && outputs) saveNpy(path.join(outputs, `${key}.npy`), output);
      console.log(JSON.stringify({ ms, check: checkOf(output.data), rss_mb: process.resourceUsage().maxRSS / 1024 }));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error).slice(0, 300) }));
    }
  }
})();
