// What `import … from 'sideloop/transformers'` gives: the engine for ONNX weights. It needs the package `@huggingface/transformers` beside it.
export { type Gpu, gpuHere } from '../worker/capabilities/local-models/transformers/gpu.ts'
export { factsOfOnnxModel, type OnnxFacts } from '../worker/capabilities/local-models/transformers/model-facts.ts'
export { type Dtype, filesOfOnnxModel } from '../worker/capabilities/local-models/transformers/model-files.ts'
export { type TransformersOptions, transformers } from '../worker/capabilities/local-models/transformers/transformers.ts'
