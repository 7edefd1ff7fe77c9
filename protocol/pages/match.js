// Replays a game of the match on the board: a click on a row of the table loads it.
(function () {
  var data = JSON.parse(document.getElementById('games').textContent);
  var viewer = document.getElementById('viewer'), pieces = viewer.querySelectorAll('use');
  var title = viewer.querySelector('h3'), list = viewer.querySelector('.moves'), note = viewer.querySelector('.now');
  var boards = [], game = null, at = 0;
  function after(board, hub, promotes) {
    var capture = hub.indexOf('x') > 0, squares = hub.split(capture ? 'x' : '-').map(Number);
    var next = board.split(''), piece = next[squares[0] - 1];
    next[squares[0] - 1] = 'e';
    squares.slice(2).forEach(function (square) { next[square - 1] = 'e'; });
    next[squares[1] - 1] = promotes ? piece.toUpperCase() : piece;
    return next.join('');
  }
  function show(ply) {
    if (!game) { return; }
    at = Math.max(0, Math.min(boards.length - 1, ply));
    pieces.forEach(function (use, i) {
      var letter = boards[at].charAt(i), colour = letter.toLowerCase(), kind = letter === colour ? 'man-' : 'king-';
      use.setAttribute('href', letter === 'e' ? '' : '#piece-' + kind + colour);
    });
    list.querySelectorAll('span').forEach(function (span) {
      var here = Number(span.dataset.ply) === at;
      span.classList.toggle('here', here);
      if (here) { list.scrollTop = span.offsetTop - list.offsetTop - 150; }
    });
    note.textContent = at === boards.length - 1 ? game.end : '';
  }
  function load(index) {
    game = data[index];
    boards = [game.start];
    title.textContent = game.title;
    list.textContent = '';
    var add = function (text, ply) {
      var span = document.createElement('span');
      span.textContent = text;
      span.dataset.ply = ply;
      span.onclick = function () { show(ply); };
      list.appendChild(span);
      list.appendChild(document.createTextNode(' '));
    };
    add('start', 0);
    game.moves.forEach(function (move, i) {
      boards.push(after(boards[i], move[1], move.length > 2));
      if ((i + game.first) % 2 === 0) {
        list.appendChild(document.createElement('i')).textContent = (i + game.first) / 2 + 1 + '.';
      }
      add(move[0], i + 1);
    });
    show(0);
  }
  document.querySelectorAll('a[data-game]').forEach(function (link) {
    link.onclick = function () { load(Number(link.dataset.game)); };
  });
  viewer.querySelectorAll('[data-step]').forEach(function (button) {
    button.onclick = function () {
      var step = button.dataset.step;
      show(step === 'first' ? 0 : step === 'last' ? 1e9 : at + Number(step));
    };
  });
  document.onkeydown = function (e) {
    if (e.key === 'ArrowLeft') { show(at - 1); }
    if (e.key === 'ArrowRight') { show(at + 1); }
  };
  if (data.length) { load(0); }
})();
