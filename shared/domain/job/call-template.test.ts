import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import {
  fillHeader,
  fillTemplate,
  templateNames,
  templateProblems,
  type TemplateForm,
  type TemplateValues,
} from './call-template.ts';

const values: TemplateValues = { jobId: 'job_1', attempt: '2', scheduledFor: '2026-12-01T09:00:00.000Z', key: 'a"b\\' };

function problemsOf(text: string, form: TemplateForm = 'text', maxBytes = 1000) {
  const without = { group: 'it is of no schedule' };
  return templateProblems({ text, form, values: { key: 'order-17' }, without, maxBytes });
}

const pieces = ['{{key}}', '{{ attempt }}', '{{{{', '{', '}', '"', ',', '\\\\', '\\"', '\\u00', '0', 'a', ' '];
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((each) => `["${each.join('')}"]`);

describe('a template', () => {
  it('is filled in with the values of its names, with or without blanks around them', () => {
    expect(fillTemplate('{{jobId}}/{{ attempt }}', values, 'text')).toBe('job_1/2');
  });

  it('escapes values inside JSON', () => {
    expect(fillTemplate('{"key":"{{key}}","n":{{attempt}}}', values, 'json')).toBe('{"key":"a\\"b\\\\","n":2}');
  });

  it('writes two literal braces for {{{{, and keeps single braces', () => {
    expect(fillTemplate('{"a":{"b":"{{{{jobId}}"}} {{{jobId}}}', values, 'text')).toBe(
      '{"a":{"b":"{{jobId}}"}} {job_1}',
    );
  });

  it('is not filled in a second time', () => {
    expect(fillTemplate('{{key}}', { ...values, key: '{{jobId}}' }, 'text')).toBe('{{jobId}}');
  });

  it('keeps names without a value', () => {
    expect(fillTemplate('{{group}} {{nobody}} {{', values, 'text')).toBe('{{group}} {{nobody}} {{');
  });

  it('cannot add a line break to a header', () => {
    expect(fillHeader('for {{key}}', { key: 'a\r\nset-cookie: b\u00e9' })).toBe('for a??set-cookie: b?');
  });
});

describe('the check of a template', () => {
  it('accepts the names that the job has', () => {
    expect(problemsOf('{{jobId}} {{attempt}} {{scheduledFor}} {{key}}')).toEqual([]);
  });

  it.each([
    ['{"order":"{{ordre}}"}', 'unknown-name', 'has "{{ordre}}" at character 11, which names nothing'],
    ['a {{ jobId', 'unknown-name', 'has "{{ jobId" at character 3'],
    ['{{#each}}', 'unknown-name', 'has "{{#each}}" at character 1'],
    ['{{constructor}}', 'unknown-name', '{{constructor}}'],
    ['{{group}}', 'no-value', 'has "{{group}}" at character 1, and it is of no schedule'],
  ])('rejects %s as %s', (text, code, detail) => {
    const containing: unknown = expect.stringContaining(detail);
    expect(problemsOf(text)).toMatchObject([{ code, detail: containing }]);
  });

  it('requires valid JSON after filling in a JSON template', () => {
    expect(problemsOf('{"key":"{{key}}","n":{{attempt}}}', 'json')).toEqual([]);
    expect(problemsOf('{"key":{{key}}}', 'json')).toMatchObject([{ code: 'not-json' }]);
    expect(problemsOf('{"key":"\\{{key}}"}', 'json')).toMatchObject([{ code: 'not-json' }]);
    expect(problemsOf('{{key}}', 'text')).toEqual([]);
  });

  it('limits the length after filling in, for any attempt', () => {
    expect(problemsOf('{{key}}{{attempt}}', 'text', 18)).toEqual([]);
    expect(problemsOf('{{key}}{{attempt}}', 'text', 17)).toMatchObject([
      { code: 'too-long', detail: 'may have 18 bytes once it is filled, at most 17 are sent' },
    ]);
  });

  it('guarantees valid JSON within the maximum length for all values', () => {
    const value = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed());
    const filled = fc.record({ key: value, attempt: fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(String) });
    fc.assert(
      fc.property(anyText, filled, (text, given) => {
        const checked = { text, form: 'json', values: given, without: {}, maxBytes: 200 } as const;
        fc.pre(templateProblems(checked).length === 0);
        const sent = fillTemplate(text, { ...values, ...given }, 'json');
        expect(() => void JSON.parse(sent)).not.toThrow();
        expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('leaves a text without two braces unchanged', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{'));
        expect(fillTemplate(text, Object.fromEntries(templateNames.map((name) => [name, 'x'])), 'text')).toBe(text);
      }),
    );
  });
});
