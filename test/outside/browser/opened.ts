/** The demo in a process of its own, and a browser that has its page open. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer, { type Page } from 'puppeteer-core';
import type { DemoView } from '../../../local/demo/view.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

export interface Opened {
  readonly url: string;
  readonly page: Page;
  /**
   * Everything that the browser complained about: errors of scripts, violations of the policy,
   * failed requests.
   */
  readonly complaints: readonly string[];
  /** Hosts that the page asked anything of. */
  readonly hosts: ReadonlySet<string>;
  view(): Promise<DemoView>;
  /** Presses a button by its incident. */
  cause(incident: string): Promise<void>;
  repair(): Promise<void>;
  /** Evaluates JavaScript in the page. */
  evaluate(script: string): Promise<unknown>;
  /** Resolves once the script gives something true. */
  shows(script: string): Promise<void>;
  close(): Promise<void>;
}

/** Containers run tests as root, where Chromium has no sandbox. */
const ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/**
 * @param executablePath of a Chromium
 * @param minute how long a minute of the schedule takes, such as `100ms`
 */
export async function openDemo(executablePath: string, minute: string): Promise<Opened> {
  await using started = new AsyncDisposableStack();
  const child = started.adopt(startProcess(minute), endProcess);
  const url = await addressOf(child);
  const chromium = await puppeteer.launch({ executablePath, args: ARGS, headless: true });
  started.defer(() => chromium.close());
  const page = await chromium.newPage();
  page.setDefaultTimeout(180_000);
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
  });
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(url);
  await page.waitForSelector('html[data-minute]');

  const kept = started.move();
  return {
    url,
    page,
    complaints,
    hosts,
    view: async () => (await fetch(new URL('view', url))).json() as Promise<DemoView>,
    cause: incident => press(page, `[data-incident="${incident}"]`),
    repair: () => press(page, '#repair[aria-disabled=false]'),
    evaluate: script => page.evaluate(script),
    async shows(script) {
      await page.waitForFunction(script);
    },
    close: async () => kept.disposeAsync(),
  };
}

async function press(page: Page, selector: string): Promise<void> {
  const button = await page.waitForSelector(selector, { visible: true });
  await button!.press('Enter');
}

function startProcess(minute: string): ChildProcess {
  const args = ['--no-warnings', path.join(ROOT, 'local', 'demo.ts'), '--minute', minute];
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
  child.kill('SIGTERM');
  await closed;
}
