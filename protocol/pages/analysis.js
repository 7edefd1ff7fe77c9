// Moves the board of a game to the position that was clicked or stepped to.
document.querySelectorAll('section[data-game]').forEach(function (section) {
  var data = JSON.parse(section.querySelector('script').textContent), at = 0;
  var pieces = section.querySelectorAll('use'), spans = section.querySelectorAll('.moves span');
  var note = section.querySelector('.now'), cursor = section.querySelector('.cursor');
  function show(ply) {
    at = Math.max(0, Math.min(data.length - 1, ply));
    var d = data[at];
    pieces.forEach(function (use, i) {
      var letter = d.board.charAt(i);
      var colour = letter.toLowerCase(), kind = letter === colour ? 'man-' : 'king-';
      use.setAttribute('href', letter === 'e' ? '' : '#piece-' + kind + colour);
    });
    spans.forEach(function (span) {
      var here = +span.dataset.ply === at;
      span.classList.toggle('here', here);
      if (here) { span.parentNode.scrollTop = span.offsetTop - span.parentNode.offsetTop - 150; }
    });
    note.textContent = d.note;
    if (cursor) { cursor.setAttribute('x1', d.x); cursor.setAttribute('x2', d.x); }
  }
  spans.forEach(function (span) { span.onclick = function () { show(+span.dataset.ply); }; });
  section.querySelectorAll('[data-step]').forEach(function (button) {
    button.onclick = function () {
      var step = button.dataset.step;
      show(step === 'first' ? 0 : step === 'last' ? 1e9 : at + Number(step));
    };
  });
  section.querySelectorAll('.graph [data-ply]').forEach(function (dot) {
    dot.onclick = function () { show(+dot.dataset.ply); };
  });
  section.tabIndex = 0;
  section.onkeydown = function (e) {
    if (e.key === 'ArrowLeft') { show(at - 1); e.preventDefault(); }
    if (e.key === 'ArrowRight') { show(at + 1); e.preventDefault(); }
  };
  show(0);
});
