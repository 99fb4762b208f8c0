// Lets visitors show the password that they type. Without scripts the button stays hidden.
for (const button of document.querySelectorAll('button.show-password')) {
  const input = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (!(input instanceof HTMLInputElement)) continue;
  const show = (/** @type {boolean} */ isShown) => {
    input.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.addEventListener('click', () => show(input.type === 'password'));
  // Browsers recognize a submitted password by the type of its field.
  input.form?.addEventListener('submit', () => show(false));
  button.removeAttribute('hidden');
}
