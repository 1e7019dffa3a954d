import { Dialog } from '../parts/overlays/dialog.tsx';
import { Button } from '../parts/controls/button.tsx';
import { useKeyCommands, type KeyCommand } from '../parts/keys/use-keys.ts';
import { useStoredSetting } from '../parts/browser/stored-setting.ts';

const groups: readonly KeyCommand['group'][] = ['Go to', 'This page', 'Rows', 'Everywhere'];

/** Dialog of the key `?`: the shortcuts of this page, and a switch that turns single keys off. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const commands = useKeyCommands();
  const [setting, set] = useStoredSetting('single-keys');
  const isOn = setting !== 'off';
  const usedGroups = groups.filter((group) => commands.some((command) => command.group === group));
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={onClose}
      actions={
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="grid grid-cols-2 gap-x-8 gap-y-4 phone:grid-cols-1">
        {usedGroups.map((group) => (
          <section key={group} className="grid content-start gap-1" aria-label={group}>
            <h3 className="t3">{group}</h3>
            <dl>
              {commands
                .filter((command) => command.group === group)
                .map(({ keys, does }) => (
                  <div key={keys} className="row min-h-6.5">
                    <dd>{does}</dd>
                    <dt className="ml-auto row gap-1">
                      {keys.split(' ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="row">
        <input type="checkbox" checked={isOn} onChange={() => set(isOn ? 'off' : null)} />
        Single keys are on; they never work while a field has the focus
      </label>
    </Dialog>
  );
}
