import { withoutActiveParts } from './without-active-parts.ts';

/**
 * HTML of a message in a sandbox without scripts. The frame is an empty page of the API, whose policy allows inline
 * styles and nothing from elsewhere: a frame with `srcdoc` would inherit the policy of the console, which refuses them.
 */
export function MessageFrame({ html }: { html: string }) {
  return (
    <iframe
      // Another message gets another page, so that nothing of the first one stays.
      key={html}
      title="Message as HTML"
      className="w-full h-100 phone:h-75 rounded-md border border-line bg-white"
      sandbox="allow-same-origin"
      src="message-frame"
      onLoad={({ currentTarget: { contentDocument } }) => {
        const frame = contentDocument?.defaultView;
        if (!frame) return;
        // The parser of the frame: a page has the policy of the window that parses it.
        const page = new frame.DOMParser().parseFromString(html, 'text/html');
        withoutActiveParts(page);
        frame.document.documentElement.replaceWith(frame.document.adoptNode(page.documentElement));
      }}
    />
  );
}
