import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { changeActionType, deleteActionType } from '#client/sdk.gen.ts';
import type { ListedActionType, Shard } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { fieldsOf, leavesOf, type LeafField } from '../../parts/forms/schema-fields.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { LookBadge, toneColours } from '../../parts/standing/state-badge.tsx';
import { formatSetDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatCheckCommand } from './check-command.ts';
import { describeClass } from './contract-class.ts';
import { SecretsPanel } from './secrets-panel.tsx';
import { TypeDialog } from './type-dialog.tsx';
import { TypeHealth, TypeTroubles } from './type-health.tsx';
import { findTypeLook, findTroubles } from './type-standing.ts';
import { TypeUsedBy } from './type-used-by.tsx';

interface TypeDetailProps {
  type: ListedActionType;
  shards: readonly Shard[];
  refusal: string | undefined;
  onGone: () => Promise<void>;
}

export function TypeDetail({ type, shards, refusal, onGone }: TypeDetailProps) {
  const { name, title, description, revision, origin, createdAt, updatedAt } = type;
  const typeShards = shards.filter(({ actionType }) => actionType === name);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_292px] gap-4 items-start min-w-0 max-[1180px]:grid-cols-1">
      <div className="grid gap-4 min-w-0">
        <div className="head">
          <div className="min-w-0">
            <div className="row flex-wrap">
              <h2 className="text-lg leading-5.5 wrap-anywhere">{name}</h2>
              <LookBadge look={findTypeLook(type, shards)} tinted />
            </div>
            <p className="t2 wrap-anywhere">
              <b>{title}</b>
              {description !== undefined && ` · ${description}`}
            </p>
            <div className="meta">
              <span>
                Registered{' '}
                <b>
                  <Time instant={createdAt} />
                </b>
              </span>
              <span>
                Revision <b>{revision}</b>, <Time instant={updatedAt} />
              </span>
              <span>{origin === 'file' ? 'defined in the engine’s file' : 'defined here'}</span>
            </div>
          </div>
          <TypeActions type={type} refusal={refusal} onGone={onGone} />
        </div>
        <TypeTroubles troubles={findTroubles(type, shards)} />
        <TypeHealth shards={typeShards} />
        {type.check ? null : <TypeUsedBy name={name} />}
        <ParametersPanel type={type} />
        <CheckPanel type={type} />
      </div>
      <div className="grid gap-4 min-w-0">
        <ClassPanel type={type} />
        <CallsPanel type={type} />
        <SecretsPanel type={type} refusal={refusal} />
      </div>
    </div>
  );
}

type TypeCommand = 'edit' | 'switch' | 'delete';

function TypeActions({ type, refusal, onGone }: Omit<TypeDetailProps, 'shards'>) {
  const [command, setCommand] = useState<TypeCommand>();
  const { name, enabled, revision } = type;
  const headers = { 'if-match': `"${revision}"` };
  const close = () => setCommand(undefined);
  return (
    <div className="row ml-auto">
      <Button refusal={refusal} onClick={() => setCommand('edit')}>
        Edit…
      </Button>
      <Button refusal={refusal} onClick={() => setCommand('switch')}>
        {enabled ? 'Disable…' : 'Enable…'}
      </Button>
      <Button kind="bad" refusal={refusal} onClick={() => setCommand('delete')}>
        Delete…
      </Button>
      {command === 'edit' && <TypeDialog type={type} onSaved={() => undefined} onClose={close} />}
      {command === 'switch' && (
        <ConfirmDialog
          title={enabled ? `Disable ${name}?` : `Enable ${name}?`}
          lead={
            enabled ? 'Campaigns that use it can no longer start.' : 'Campaigns that use it can start again at once.'
          }
          verb={enabled ? 'Disable it' : 'Enable it'}
          leave="Cancel"
          act={() => changeActionType({ path: { name }, headers, body: { enabled: !enabled }, throwOnError: true })}
          onClose={close}
        >
          {enabled
            ? 'Active runs continue and still call it. Pause them if you do not want that.'
            : 'Starts that were refused meanwhile are not repeated automatically.'}
        </ConfirmDialog>
      )}
      {command === 'delete' && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          lead="This deletes it and its secrets for good."
          verb="Delete it"
          leave="Keep it"
          isGrave
          act={() => deleteActionType({ path: { name }, headers, throwOnError: true })}
          onDone={onGone}
          onClose={close}
        >
          It can be deleted only if no campaign has it in its chain, drafts included. Otherwise, disable it.
        </ConfirmDialog>
      )}
    </div>
  );
}

function ClassPanel({ type }: { type: ListedActionType }) {
  return (
    <Panel title={type.check ? 'What a check does' : `What class ${type.class} means`} padded>
      <ul className="grid gap-2.5">
        {describeClass(type).map(({ icon, tone, lead, rest }) => (
          <li key={lead} className="flex items-start gap-2">
            <span className={`${toneColours[tone]} flex pt-0.5`}>
              <Icon name={icon} size={14} />
            </span>
            <span className="min-w-0">
              <b>{lead}</b> <span className="t2">{rest}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function CallsPanel({ type }: { type: ListedActionType }) {
  const {
    url,
    statusUrl,
    previewUrl,
    batchSize,
    timeoutMs,
    maxAttempts,
    retry,
    concurrency,
    ratePerSecond,
    price,
    countries,
  } = type;
  const rate = [
    ratePerSecond?.calls === undefined ? [] : [`${formatCount(ratePerSecond.calls)} calls/s`],
    ratePerSecond?.users === undefined ? [] : [`${formatCount(ratePerSecond.users)} users/s`],
  ].flat();
  return (
    <Panel title="Calls" padded>
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Address</dt>
        <dd>
          <CallUrl url={url} />
        </dd>
        {statusUrl !== undefined && (
          <>
            <dt>Status</dt>
            <dd>
              <CallUrl url={statusUrl} />
            </dd>
          </>
        )}
        {previewUrl !== undefined && (
          <>
            <dt>Preview</dt>
            <dd>
              <CallUrl url={previewUrl} />
            </dd>
          </>
        )}
        <dt>Batch</dt>
        <dd>at most {countOf(batchSize, 'user')}</dd>
        <dt>Time-out</dt>
        <dd>{formatSetDuration(timeoutMs)}</dd>
        <dt>Attempts</dt>
        <dd>
          {formatCount(maxAttempts)}, up to {formatSetDuration(retry.maxDelayMs)} apart
        </dd>
        <dt>Concurrency</dt>
        <dd>{countOf(concurrency, 'call')} per worker</dd>
        <dt>Rate limit</dt>
        <dd>{rate.length === 0 ? 'no limit' : `${rate.join(', ')} over all workers`}</dd>
        <dt>Held above</dt>
        <dd>{type.refusedPercentLimit} % refused</dd>
        <dt>Price per user</dt>
        <dd>{price ?? 'not counted'}</dd>
        <dt>Countries</dt>
        <dd>
          {countries === null
            ? 'any'
            : countries.length <= 8
              ? countries.join(', ')
              : countOf(countries.length, 'country', 'countries')}
        </dd>
        <dt>Tests</dt>
        <dd>{type.understandsTest ? 'supported: test calls have no effect' : 'not supported'}</dd>
        {!type.check && (
          <>
            <dt>Receipts</dt>
            <dd>{type.receipts ? 'accepted' : 'none'}</dd>
          </>
        )}
        <dt>Quiet hours</dt>
        <dd>
          <Link className="link" to="/quiet-hours">
            rules for all types
          </Link>
        </dd>
      </dl>
    </Panel>
  );
}

const fieldColumns: readonly Column<LeafField>[] = [
  {
    header: 'Field',
    isRowHeader: true,
    look: 'font-medium',
    cell: ({ label, required }) => (
      <>
        {label} {required && <span className="t3 sm">needed</span>}
      </>
    ),
  },
  {
    header: 'Kind',
    look: 't2',
    cell: ({ kind }) => (kind === 'json' ? 'JSON' : kind === 'boolean' ? 'yes or no' : kind),
  },
  { header: 'Description', hideBelow: 'phone', look: 't2 wrap-anywhere', cell: ({ hint }) => hint },
];

function ParametersPanel({ type: { paramsSchema } }: { type: ListedActionType }) {
  const fields = leavesOf(fieldsOf(paramsSchema) ?? []);
  return (
    <Panel title="Parameters" note={paramsSchema && 'the campaign editor builds its form from this schema'}>
      {paramsSchema === undefined ? (
        <p className="pad t3 sm">No schema: campaigns enter parameters as JSON, without validation.</p>
      ) : (
        <>
          {fields.length > 0 && (
            <DataTable
              caption="Parameters"
              className="table-auto"
              columns={fieldColumns}
              rows={fields}
              keyOf={({ pointer }) => pointer}
            />
          )}
          <details className="pad sm">
            <summary className="cursor-pointer t2">Schema</summary>
            <pre className="bytes max-h-60 mt-2" tabIndex={0} aria-label="Schema of the parameters">
              {JSON.stringify(paramsSchema, null, 2)}
            </pre>
          </details>
        </>
      )}
    </Panel>
  );
}

function CheckPanel({ type }: { type: ListedActionType }) {
  const command = formatCheckCommand(type);
  return (
    <Panel
      title="Endpoint check"
      note="real calls with invented users"
      actions={<CopyButton text={command} label="Copy the command" />}
      footer="The command runs on your computer. Use the test address of the endpoint, and pass its secrets as variables or files."
      padded
    >
      <p className="t2 sm mb-2">
        Tests whether the endpoint keeps the contract of {type.check ? 'a check' : `class ${type.class}`}: repeated
        keys, unusual ids, interrupted calls. It reports each violation and its effect on users.
      </p>
      <pre className="bytes whitespace-pre-wrap break-all" tabIndex={0} aria-label="Command that checks the endpoint">
        {command}
      </pre>
    </Panel>
  );
}
