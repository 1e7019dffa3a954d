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
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { LookBadge, toneColours } from '../../parts/standing/state-badge.tsx';
import { formatSetDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { checkCommand } from './check-command.ts';
import { promisesOf } from './class-words.ts';
import { SecretsPanel } from './secrets-panel.tsx';
import { TypeDialog } from './type-dialog.tsx';
import { TypeHealth, TypeTroubles } from './type-health.tsx';
import { lookOfType, troublesOf } from './type-standing.ts';
import { TypeUsedBy } from './type-used-by.tsx';

interface TypeDetailProps {
  type: ListedActionType;
  shards: readonly Shard[];
  refusal: string | undefined;
  onGone: () => Promise<void>;
}

export function TypeDetail({ type, shards, refusal, onGone }: TypeDetailProps) {
  const { name, title, description, revision, origin, createdAt, updatedAt } = type;
  const own = shards.filter(({ actionType }) => actionType === name);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_292px] gap-4 items-start min-w-0 max-[1180px]:grid-cols-1">
      <div className="grid gap-4 min-w-0">
        <div className="head">
          <div className="min-w-0">
            <div className="row flex-wrap">
              <h2 className="text-lg leading-5.5 wrap-anywhere">{name}</h2>
              <LookBadge look={lookOfType(type, shards)} tinted />
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
              <span>{origin === 'file' ? 'as the engine’s file says' : 'as somebody said here'}</span>
            </div>
          </div>
          <TypeActions type={type} refusal={refusal} onGone={onGone} />
        </div>
        <TypeTroubles troubles={troublesOf(type, shards)} />
        <TypeHealth shards={own} />
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

type Asked = 'edit' | 'switch' | 'delete';

function TypeActions({ type, refusal, onGone }: Omit<TypeDetailProps, 'shards'>) {
  const [asked, setAsked] = useState<Asked>();
  const { name, enabled, revision } = type;
  const headers = { 'if-match': `"${revision}"` };
  const close = () => setAsked(undefined);
  return (
    <div className="row ml-auto">
      <Button refusal={refusal} onClick={() => setAsked('edit')}>
        Edit…
      </Button>
      <Button refusal={refusal} onClick={() => setAsked('switch')}>
        {enabled ? 'Switch off…' : 'Switch on…'}
      </Button>
      <Button kind="bad" refusal={refusal} onClick={() => setAsked('delete')}>
        Delete…
      </Button>
      {asked === 'edit' && <TypeDialog type={type} onSaved={() => undefined} onClose={close} />}
      {asked === 'switch' && (
        <VerbDialog
          title={enabled ? `Switch ${name} off?` : `Switch ${name} on?`}
          lead={enabled ? 'No campaign may begin with it any more.' : 'Campaigns may begin with it again, at once.'}
          verb={enabled ? 'Switch it off' : 'Switch it on'}
          leave="Leave it"
          act={() => changeActionType({ path: { name }, headers, body: { enabled: !enabled }, throwOnError: true })}
          onClose={close}
        >
          {enabled
            ? 'What runs goes on, and calls it. Pause those runs where that is not wanted.'
            : 'Nothing that was refused meanwhile is tried again by itself.'}
        </VerbDialog>
      )}
      {asked === 'delete' && (
        <VerbDialog
          title={`Delete ${name}?`}
          lead="For good, with its secrets."
          verb="Delete it"
          leave="Keep it"
          isGrave
          act={() => deleteActionType({ path: { name }, headers, throwOnError: true })}
          onDone={onGone}
          onClose={close}
        >
          Only one that no campaign has in its chain, drafts among them, can be deleted. One that is used can be
          switched off.
        </VerbDialog>
      )}
    </div>
  );
}

function ClassPanel({ type }: { type: ListedActionType }) {
  return (
    <Panel title={type.check ? 'A check, in plain words' : `Class ${type.class}, in plain words`} padded>
      <ul className="grid gap-2.5">
        {promisesOf(type).map(({ icon, tone, lead, rest }) => (
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
  const { url, statusUrl, batchSize, timeoutMs, maxAttempts, retry, concurrency, ratePerSecond, price, countries } =
    type;
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
        <dt>Batch</dt>
        <dd>at most {countOf(batchSize, 'user')}</dd>
        <dt>Time-out</dt>
        <dd>{formatSetDuration(timeoutMs)}</dd>
        <dt>Attempts</dt>
        <dd>
          {formatCount(maxAttempts)}, up to {formatSetDuration(retry.maxDelayMs)} apart
        </dd>
        <dt>At once</dt>
        <dd>{countOf(concurrency, 'call')} of one worker</dd>
        <dt>All workers</dt>
        <dd>{rate.length === 0 ? 'no limit' : rate.join(', ')}</dd>
        <dt>Held above</dt>
        <dd>{type.refusedPercentLimit} % refused</dd>
        <dt>Price of one</dt>
        <dd>{price ?? 'none is counted'}</dd>
        <dt>Countries</dt>
        <dd>
          {countries === null
            ? 'any'
            : countries.length <= 8
              ? countries.join(', ')
              : countOf(countries.length, 'country', 'countries')}
        </dd>
        <dt>Tests</dt>
        <dd>{type.understandsTest ? 'understood: they give nothing' : 'not understood'}</dd>
        {!type.check && (
          <>
            <dt>Receipts</dt>
            <dd>{type.receipts ? 'taken' : 'none'}</dd>
          </>
        )}
        <dt>Quiet hours</dt>
        <dd>
          <Link className="link" to="/quiet-hours">
            of all types
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
  { header: 'What it is', hideBelow: 'phone', look: 't2 wrap-anywhere', cell: ({ hint }) => hint },
];

function ParametersPanel({ type: { paramsSchema } }: { type: ListedActionType }) {
  const fields = leavesOf(fieldsOf(paramsSchema) ?? []);
  return (
    <Panel title="What its parameters are" note={paramsSchema && 'the form of a campaign comes from this schema'}>
      {paramsSchema === undefined ? (
        <p className="pad t3 sm">It has no schema: campaigns write its parameters as JSON, unchecked.</p>
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
  const command = checkCommand(type);
  return (
    <Panel
      title="Endpoint check"
      note="real calls, with made-up users"
      actions={<CopyButton text={command} label="Copy the command" />}
      footer="It runs where the command does, not here: put its test address there, and name its secrets as variables or files."
      padded
    >
      <p className="t2 sm mb-2">
        Plays the endpoint through what {type.check ? 'a check' : `class ${type.class}`} promises: repeats of a key, odd
        ids, calls that are cut off. It says which promise is broken, and what that would do to a user.
      </p>
      <pre className="bytes whitespace-pre-wrap break-all" tabIndex={0} aria-label="Command that checks the endpoint">
        {command}
      </pre>
    </Panel>
  );
}
