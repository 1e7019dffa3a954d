import { describe, expect, it } from 'vitest';
import { describeUploads, uploadsKey } from './describe-uploads.ts';

function described(operation: object) {
  const document = { paths: { '/lists': { post: operation, get: { summary: 'reads' } } } };
  describeUploads(document);
  return document.paths['/lists'];
}

const uploads = { 'text/csv': 'A user a line' };
const csv = { schema: { type: 'string', format: 'binary', description: 'A user a line' } };

describe('a request body that is read as a stream', () => {
  it('is the only body of an operation without a JSON body', () => {
    expect(described({ summary: 'uploads', [uploadsKey]: uploads })).toEqual({
      post: { summary: 'uploads', requestBody: { required: true, content: { 'text/csv': csv } } },
      get: { summary: 'reads' },
    });
  });

  it('is described in addition to the JSON body of an operation', () => {
    const content = { 'application/json': { schema: { type: 'object' } } };
    expect(described({ requestBody: { required: false, content }, [uploadsKey]: uploads }).post).toEqual({
      requestBody: { required: false, content: { ...content, 'text/csv': csv } },
    });
  });
});
