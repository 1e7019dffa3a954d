/** What a strict policy lets styles in by that are made in the page; empty where the server asks for none. */
export const styleNonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';

/** The scroll lock of dialogs looks for it here (the package get-nonce). */
Object.assign(globalThis, styleNonce === '' ? {} : { __webpack_nonce__: styleNonce });
