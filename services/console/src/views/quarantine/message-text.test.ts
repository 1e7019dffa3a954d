import { expect, it } from 'vitest';
import { formatContent, formatTopic } from './message-text.ts';

it('formatContent indents JSON and does not change other content', () => {
  expect(formatContent({ encoding: 'text', content: '{"a":1}' })).toEqual({ note: 'JSON', text: '{\n  "a": 1\n}' });
  expect(formatContent({ encoding: 'text', content: '{"a":' })).toEqual({ note: 'text, not JSON', text: '{"a":' });
  expect(formatContent({ encoding: 'base64', content: '/wA=' })).toEqual({ note: 'bytes, as base64', text: '/wA=' });
  expect(formatContent(null)).toEqual({ note: 'empty', text: '' });
});

it('formatTopic names the shard of a topic', () => {
  expect(formatTopic('muster.award-points.AU')).toBe('Award points AU');
  expect(formatTopic('muster.steers')).toBe('muster.steers');
});
