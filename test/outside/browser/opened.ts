/** The demo in a process of its own, and a browser that has its page open. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer, { type Page } from 'puppeteer-core';
import type { View } from '../../../local/demo/view.ts';
import type { Browser } from './browser.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

export interface Opened {
  readonly url: string;
  readonly page: Page;
  /** Everything that the browser complained about: errors of scripts, violations of the policy, failed requests. */
  readonly complaints: readonly string[];
  /** Hosts that the page asked anything of. */
  readonly hosts: ReadonlySet<string>;
  /** Megabytes of memory of the demo's process. */
  memory(): Promise<number>;
  view(): Promise<View>;
  /** Resolves with the first view for which it holds. @throws Error after so many minutes of the demo */
  until(holds: (view: View) => boolean, what: string, minutes: number): Promise<View>;
  /** Presses a button by its incident. */
  cause(incident: string): Promise<void>;
  repair(): Promise<void>;
  /** Evaluates JavaScript in the page. */
  evaluate(script: string): Promise<unknown>;
  /** Resolves once the script gives something true. */
  shows(script: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly browser: Browser;
  /** How long a minute of the schedule takes, such as `100ms`. */
  readonly minute: string;
  readonly seed?: number;
  readonly scheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

export async function openDemo(options: OpenOptions): Promise<Opened> {
  const { browser, minute, seed = 1, scheme = 'light', viewport = { width: 1440, height: 1000 } } = options;
  await using started = new AsyncDisposableStack();
  const child = started.adopt(startProcess(minute, seed), endProcess);
  const url = await addressOf(child);
  const chromium = await puppeteer.launch({ executablePath: browser.path, args: [...browser.args], headless: true });
  started.defer(() => chromium.close());
  const page = await chromium.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
  });
  await page.setViewport(viewport);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(url);
  await page.waitForSelector('html[data-minute]');
  const view = async (): Promise<View> => (await fetch(new URL('view', url))).json() as Promise<View>;
  const kept = started.move();
  return {
    url,
    page,
    complaints,
    hosts,
    view,
    memory: () => residentMegabytes(child),
    async until(holds, what, minutes) {
      const end = (await view()).minute + minutes;
      for await (const each of views(url)) {
        if (holds(each)) return each;
        if (each.minute > end) throw new Error(`Not within ${minutes} minutes: ${what}. ${summary(each)}`);
      }
      throw new Error('The demo has ended.');
    },
    cause: incident => press(page, `[data-incident="${incident}"]`),
    repair: () => press(page, '#repair:enabled'),
    evaluate: script => page.evaluate(script),
    async shows(script) {
      await page.waitForFunction(script);
    },
    close: async () => kept.disposeAsync(),
  };
}

/** By the keyboard: between the place of a button and the click on it, a page that is updated may have moved. */
async function press(page: Page, selector: string): Promise<void> {
  const button = await page.waitForSelector(selector, { visible: true });
  await button!.press('Enter');
}

function summary({ distance, alarms, incident }: View): string {
  const on = alarms.filter(({ state }) => state === 'ALARM').map(({ name }) => name);
  return JSON.stringify({ distance, on, incident });
}

/** The views as the page gets them: server-sent events. */
async function* views(url: string): AsyncGenerator<View> {
  const aborted = new AbortController();
  const { body } = await fetch(new URL('events', url), { signal: aborted.signal });
  let text = '';
  try {
    for await (const part of body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split('\n\n');
      text = events.pop()!;
      for (const event of events) yield JSON.parse(event.slice('data: '.length));
    }
  } finally {
    aborted.abort();
  }
}

function startProcess(minute: string, seed: number): ChildProcess {
  const args = ['--no-warnings', path.join(ROOT, 'local', 'demo.ts'), '--minute', minute, '--seed', String(seed)];
  return spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^Open\s+(\S+)/.exec(line)?.[1];
    if (!url) continue;
    child.stdout!.resume();
    return url;
  }
  throw new Error('The demo ended before it printed its address.');
}

async function endProcess(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGINT');
  await closed;
}

async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
