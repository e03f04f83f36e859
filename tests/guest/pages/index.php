<?php echo "hello from ", $_SERVER["SERVER_NAME"];
