import type { PlatformSettings } from './settings.ts';

export function openApiDocument(_settings: PlatformSettings): object {
  return { openapi: '3.1.0' };
}
