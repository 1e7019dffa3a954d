import { UsageError } from '../frame/usage-error.ts';
import type { ValuesOf } from '../frame/options.ts';
import type { aboutOptions } from './definition-options.ts';

type AboutOptions = ValuesOf<typeof aboutOptions>;

/** Returns the given descriptive fields of a campaign. The API validates them. */
export function aboutOf({ description, owner, tag, metadata }: AboutOptions) {
  return {
    ...(description !== undefined && { description }),
    ...(owner !== undefined && { owner }),
    ...(tag !== undefined && { tags: tag }),
    ...(metadata !== undefined && { metadata: Object.fromEntries(metadata.map(pairOf)) }),
  };
}

/** Returns the fields as a patch, in which an empty text removes a field. */
export function aboutPatchOf(options: AboutOptions) {
  const { description, owner, tag = [], metadata = [] } = options;
  if (Object.keys(options).length === 0) {
    throw new UsageError("say what it is to be: --description, --owner, --tag or --metadata; '' takes one away");
  }
  const { metadata: _, ...others } = options;
  return {
    ...aboutOf(metadata.includes('') ? others : options),
    ...(description === '' && { description: null }),
    ...(owner === '' && { owner: null }),
    ...(tag.includes('') && { tags: null }),
    ...(metadata.includes('') && { metadata: null }),
  };
}

function pairOf(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new UsageError(`--metadata is <key>=<value>, such as ticket=MKT-1204, not ${text}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}
