import { useState } from 'react';
import { removeActionTypeSecret, setActionTypeSecret } from '#client/sdk.gen.ts';
import type { ActionType } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';

const secretNames = ['authorization', 'signing', 'receipts'] as const;
type SecretName = (typeof secretNames)[number];

const labels = { authorization: 'Authorization', signing: 'Signing', receipts: 'Receipts' } as const;
const hints = {
  authorization: 'The whole Authorization header of each call, such as Bearer 3f9c0c27',
  signing: 'Signs each call: whsec_ and 24 to 64 bytes in base64',
  receipts: 'The endpoint signs receipts with it: whsec_ and 24 to 64 bytes in base64',
} as const;

interface SecretsPanelProps {
  type: ActionType;
  refusal: string | undefined;
}

/** Secrets of an action type. The API never returns them: the panel shows only that a secret is set, and since when. */
export function SecretsPanel({ type, refusal }: SecretsPanelProps) {
  const [command, setCommand] = useState<{ verb: 'set' | 'remove'; secret: SecretName }>();
  const close = () => setCommand(undefined);
  const usedSecrets = secretNames.filter((secret) => secret !== 'receipts' || type.receipts);
  const columns: readonly Column<SecretName>[] = [
    { header: 'Secret', isRowHeader: true, width: 'w-30', look: 'font-medium', cell: (secret) => labels[secret] },
    { header: 'State', look: 't2 sm', cell: (secret) => <Standing type={type} secret={secret} /> },
    {
      ...actionsColumn((secret) => (
        <>
          {type.secrets[secret] && (
            <Button
              small
              kind="bad"
              refusal={refusal}
              label={`Remove the secret ${secret}`}
              onClick={() => setCommand({ verb: 'remove', secret })}
            >
              Remove…
            </Button>
          )}
          <Button
            small
            refusal={refusal}
            label={`${type.secrets[secret] ? 'Replace' : 'Set'} the secret ${secret}`}
            onClick={() => setCommand({ verb: 'set', secret })}
          >
            {type.secrets[secret] ? 'Replace…' : 'Set…'}
          </Button>
        </>
      )),
      width: 'w-40',
    },
  ];
  return (
    <Panel title="Secrets" note="values are never shown again">
      <DataTable
        caption={`Secrets of ${type.name}`}
        className="table-fixed [--row:34px]"
        columns={columns}
        rows={usedSecrets}
        keyOf={(secret) => secret}
        isHeadHidden
      />
      {command?.verb === 'set' && <SetDialog type={type} secret={command.secret} onClose={close} />}
      {command?.verb === 'remove' && (
        <ConfirmDialog
          title={`Remove the secret ${command.secret}?`}
          lead={`This removes the secret of ${type.name} for good.`}
          verb="Remove it"
          leave="Keep it"
          isGrave
          act={() =>
            removeActionTypeSecret({
              path: { name: type.name, secret: command.secret },
              headers: { 'if-match': `"${type.revision}"` },
              throwOnError: true,
            })
          }
          onClose={close}
        >
          {command.secret === 'receipts'
            ? 'About a second later, receipts that are signed with it are refused.'
            : 'About a second later, calls are made without it. An endpoint that needs it refuses them.'}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

/** State of a secret. A secret that is stored here takes precedence over an environment variable of the workers. */
function Standing({ type, secret }: { type: ActionType; secret: SecretName }) {
  const stored = type.secrets[secret];
  if (stored) {
    return (
      <>
        set, <Time instant={stored.changedAt} />
      </>
    );
  }
  const variable = { authorization: type.authorizationEnv, signing: undefined, receipts: type.receiptsSecretEnv }[
    secret
  ];
  if (variable === undefined) return <span className="t3">none</span>;
  return (
    <span className="wrap-anywhere">
      from <span className="mono">{variable}</span>
    </span>
  );
}

function SetDialog({ type, secret, onClose }: { type: ActionType; secret: SecretName; onClose: () => void }) {
  const [value, setValue] = useState('');
  const [isGenerated, setGenerated] = useState(false);
  const { name, revision, secrets } = type;
  return (
    <EditDialog
      title={`${secrets[secret] ? 'Replace' : 'Set'} the secret ${secret}`}
      lead={`For ${name}. It is stored encrypted and never shown again. Workers use it about a second later.`}
      verb="Set it"
      isIncomplete={value.trim() === ''}
      save={() =>
        setActionTypeSecret({
          path: { name, secret },
          headers: { 'if-match': `"${revision}"` },
          body: { value: value.trim() },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <FormField
        pointer="/value"
        label="Secret"
        required
        hint={
          isGenerated
            ? 'Copy it for the team of the endpoint: it is shown only until you close this dialog'
            : hints[secret]
        }
      >
        {(control) => (
          <TextInput
            {...control}
            mono
            // A generated secret is visible, so that the user can pass it on.
            type={isGenerated ? 'text' : 'password'}
            autoComplete="new-password"
            value={value}
            onText={(text) => {
              setValue(text);
              setGenerated(false);
            }}
            data-autofocus
          />
        )}
      </FormField>
      {secret !== 'authorization' && (
        <div className="row">
          <Button
            small
            icon="plus"
            onClick={() => {
              setValue(newSecret());
              setGenerated(true);
            }}
          >
            Generate
          </Button>
          {isGenerated && <CopyButton text={value} label="Copy the secret" />}
        </div>
      )}
    </EditDialog>
  );
}

const secretBytes = 32;

/** Generates a secret in the format of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(secretBytes))))}`;
}
