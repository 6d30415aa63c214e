// Reads the streams that `go run ./benchmarks -write DIR` wrote with the SDKs for Node: each through its own
// client, whose fetch is replaced by one that hands out the bytes. Prints a table in Markdown.
import { readFileSync, readdirSync, statSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { streamText } from 'ai'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'

globalThis.AI_SDK_LOG_WARNINGS = false
const dir = process.argv[2] ?? 'streams'
const limit = Number(process.argv[3] ?? 30) * 1000 // of one case, in milliseconds

const version = (name) => {
  let at = new URL(`./node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(at)).version
}

const serve = (body) => async () =>
  new Response(
    new ReadableStream({
      start(c) {
        for (let i = 0; i < body.length; i += 16384) c.enqueue(body.subarray(i, i + 16384))
        c.close()
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )

const ask = [{ role: 'user', content: '?' }]
const tools = { edit_file: { description: '', inputSchema: { jsonSchema: { type: 'object' }, validate: (v) => ({ success: true, value: v }), [Symbol.for('vercel.ai.schema')]: true } } }

const drain = async (it) => {
  let n = 0
  for await (const _ of it) n++
  return n
}

const peers = {
  anthropic: {
    '@anthropic-ai/sdk, events': async (body) => {
      const c = new Anthropic({ apiKey: 'x', fetch: serve(body) })
      await drain(await c.messages.create({ model: 'm', max_tokens: 1, messages: ask, stream: true }))
    },
    '@anthropic-ai/sdk, messages.stream': async (body) => {
      const c = new Anthropic({ apiKey: 'x', fetch: serve(body) })
      await c.messages.stream({ model: 'm', max_tokens: 1, messages: ask }).finalMessage()
    },
    '@anthropic-ai/sdk, with an inputJson listener': async (body) => {
      const c = new Anthropic({ apiKey: 'x', fetch: serve(body) })
      await c.messages.stream({ model: 'm', max_tokens: 1, messages: ask }).on('inputJson', () => {}).finalMessage()
    },
    'ai, streamText': async (body) => {
      const model = createAnthropic({ apiKey: 'x', fetch: serve(body) })('m')
      await drain(streamText({ model, prompt: '?', tools, onError() {} }).fullStream)
    },
  },
  'openai-chat': {
    'openai, events': async (body) => {
      const c = new OpenAI({ apiKey: 'x', fetch: serve(body) })
      await drain(await c.chat.completions.create({ model: 'm', messages: ask, stream: true }))
    },
    'openai, chat.completions.stream': async (body) => {
      const c = new OpenAI({ apiKey: 'x', fetch: serve(body) })
      await c.chat.completions.stream({ model: 'm', messages: ask }).finalChatCompletion()
    },
    'openai, with a strict tool': async (body) => {
      const c = new OpenAI({ apiKey: 'x', fetch: serve(body) })
      const tool = { type: 'function', function: { name: 'edit_file', strict: true, parameters: { type: 'object', properties: {}, additionalProperties: false } } }
      await c.chat.completions.stream({ model: 'm', messages: ask, tools: [tool] }).finalChatCompletion()
    },
    'ai, streamText': async (body) => {
      const model = createOpenAI({ apiKey: 'x', fetch: serve(body) }).chat('m')
      await drain(streamText({ model, prompt: '?', tools, onError() {} }).fullStream)
    },
  },
  'openai-responses': {
    'openai, events': async (body) => {
      const c = new OpenAI({ apiKey: 'x', fetch: serve(body) })
      await drain(await c.responses.create({ model: 'm', input: '?', stream: true }))
    },
    'openai, responses.stream': async (body) => {
      const c = new OpenAI({ apiKey: 'x', fetch: serve(body) })
      await c.responses.stream({ model: 'm', input: '?' }).finalResponse()
    },
    'ai, streamText': async (body) => {
      const model = createOpenAI({ apiKey: 'x', fetch: serve(body) }).responses('m')
      await drain(streamText({ model, prompt: '?', tools, onError() {} }).fullStream)
    },
  },
}

const timeout = (ms) => new Promise((_, no) => setTimeout(() => no(new Error(`longer than ${ms / 1000} s`)), ms).unref())
const median = (v) => v.sort((a, b) => a - b)[v.length >> 1]

console.log(`Node ${process.version}; ` + ['@anthropic-ai/sdk', 'openai', 'ai'].map((n) => `${n} ${version(n)}`).join(', ') + '.\n')
console.log('| protocol | stream | peer | ns/event | total, ms |\n| --- | --- | --- | ---: | ---: |')
const size = (f) => statSync(`${dir}/${f}`).size
const before = {} // how long the short document took
for (const file of readdirSync(dir).filter((f) => f.endsWith('.sse')).sort((a, b) => a.split('--')[0].localeCompare(b.split('--')[0]) || size(a) - size(b))) {
  const [protocol, story] = file.replace('.sse', '').split('--')
  const body = readFileSync(`${dir}/${file}`)
  const events = body.toString().split('\n\n').length - 1
  for (const [name, read] of Object.entries(peers[protocol] ?? {})) {
    const took = []
    const key = protocol + name
    if (story.includes('MB') && before[key] > 1e9 / 4) {
      // A document ten times as long takes a hundred times as long, and nothing can stop it.
      console.log(`| ${protocol} | ${story.replaceAll('-', ' ')} | ${name} | would take about ${Math.round((before[key] * 100) / 1e9)} s if it is quadratic | |`)
      continue
    }
    try {
      for (let i = 0; i < 5; i++) {
        const start = process.hrtime.bigint()
        await Promise.race([read(body), timeout(limit)])
        took.push(Number(process.hrtime.bigint() - start))
        if (took[0] > 5e9) break
      }
      const ns = median(took)
      if (story.includes('KB')) before[key] = ns
      console.log(`| ${protocol} | ${story.replaceAll('-', ' ')} | ${name} | ${Math.round(ns / events).toLocaleString('en')} | ${(ns / 1e6).toFixed(1)} |`)
    } catch (e) {
      console.log(`| ${protocol} | ${story.replaceAll('-', ' ')} | ${name} | ${String(e.message).split('\n')[0].slice(0, 60)} | |`)
    }
  }
}
process.exit(0)
