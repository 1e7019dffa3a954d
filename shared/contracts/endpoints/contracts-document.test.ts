import SwaggerParser from '@apidevtools/swagger-parser';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { previewCall, previewedMessage } from './message-previews.ts';
import { offeredOption, optionPage } from './parameter-options.ts';
import { receiptOfCall, receiptOfRun, receiptsRequest } from './receipts.ts';
import { offeredSegment, segmentPage } from './segmentation.ts';
import { batchCall, compactAnswer, fullAnswer, statusQuery } from './batch-actions.ts';

const path = 'docs/contracts.openapi.yaml';

const body = z.object({ content: z.object({ 'application/json': z.object({ example: z.unknown() }) }) });
const document = z.object({
  paths: z.object({
    '/v1/batches': z.object({ post: z.object({ requestBody: body }) }),
    '/v1/status': z.object({ post: z.object({ requestBody: body }) }),
    '/v1/segments': z.object({ get: z.object({ responses: z.object({ '200': body }) }) }),
    '/v1/options': z.object({ get: z.object({ responses: z.object({ '200': body }) }) }),
    '/v1/preview': z.object({ post: z.object({ requestBody: body, responses: z.object({ '200': body }) }) }),
  }),
  webhooks: z.object({ receipts: z.object({ post: z.object({ requestBody: body }) }) }),
  components: z.object({
    responses: z.object({
      Results: z.object({
        content: z.object({
          'application/json': z.object({
            examples: z.object({ full: z.object({ value: z.unknown() }), compact: z.object({ value: z.unknown() }) }),
          }),
        }),
      }),
    }),
    schemas: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()).optional() })),
  }),
});

describe('the OpenAPI document of endpoint contracts', () => {
  const { paths, webhooks, components } = document.parse(parse(readFileSync(path, 'utf8')));

  it('is valid OpenAPI', async () => {
    await expect(SwaggerParser.validate(path)).resolves.toMatchObject({ openapi: '3.1.0' });
  });

  it('has examples of calls and answers that match the schemas in the code', () => {
    batchCall.parse(paths['/v1/batches'].post.requestBody.content['application/json'].example);
    statusQuery.parse(paths['/v1/status'].post.requestBody.content['application/json'].example);
    segmentPage.parse(paths['/v1/segments'].get.responses['200'].content['application/json'].example);
    optionPage.parse(paths['/v1/options'].get.responses['200'].content['application/json'].example);
    const { requestBody: preview, responses } = paths['/v1/preview'].post;
    previewCall.parse(preview.content['application/json'].example);
    previewedMessage.parse(responses['200'].content['application/json'].example);
    receiptsRequest.parse(webhooks.receipts.post.requestBody.content['application/json'].example);
    const { full, compact } = components.responses.Results.content['application/json'].examples;
    fullAnswer.parse(full.value);
    compactAnswer.parse(compact.value);
  });

  it('has the same fields as the schemas in the code', () => {
    const fieldsOf = (name: string) => Object.keys(components.schemas[name]?.properties ?? {});
    expect(fieldsOf('BatchCall')).toEqual(Object.keys(batchCall.shape));
    expect(fieldsOf('Segment')).toEqual(Object.keys(offeredSegment.shape));
    expect(fieldsOf('SegmentPage')).toEqual(Object.keys(segmentPage.shape));
    expect(fieldsOf('Option')).toEqual(Object.keys(offeredOption.shape));
    expect(fieldsOf('OptionPage')).toEqual(Object.keys(optionPage.shape));
    expect(fieldsOf('PreviewCall')).toEqual(Object.keys(previewCall.shape));
    expect(fieldsOf('Message')).toEqual(Object.keys(previewedMessage.shape));
    expect(fieldsOf('Receipt')).toEqual([...new Set(Object.keys({ ...receiptOfRun.shape, ...receiptOfCall.shape }))]);
    expect(fieldsOf('StatusQuery')).toEqual(Object.keys(statusQuery.shape));
  });
});
