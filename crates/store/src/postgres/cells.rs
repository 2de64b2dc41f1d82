//! Rows of PostgreSQL, as they are read.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::cells::Fields;
use crate::error::Error;

impl Fields for Row {
    fn integer(&self, column: usize) -> Result<Option<i64>, Error> {
        let wrong = |error: tokio_postgres::Error| Error::corrupt(error.to_string());
        match self.columns().get(column).map(tokio_postgres::Column::type_) {
            Some(&Type::INT2) => Ok(self.try_get::<_, Option<i16>>(column).map_err(wrong)?.map(Into::into)),
            Some(&Type::INT4) => Ok(self.try_get::<_, Option<i32>>(column).map_err(wrong)?.map(Into::into)),
            Some(&Type::BOOL) => Ok(self.try_get::<_, Option<bool>>(column).map_err(wrong)?.map(Into::into)),
            _ => self.try_get(column).map_err(wrong),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, Error> {
        self.try_get(column).map_err(|error| Error::corrupt(error.to_string()))
    }

    fn blob(&self, column: usize) -> Result<Option<&[u8]>, Error> {
        self.try_get(column).map_err(|error| Error::corrupt(error.to_string()))
    }

    fn name(&self, column: usize) -> &str {
        self.columns().get(column).map_or("a column", tokio_postgres::Column::name)
    }
}
